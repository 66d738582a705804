import * as Schema from "effect/Schema"
import { method } from "../method/method.ts"
import { fromNetwork } from "./running-network.ts"

export const clearbanned = method({
  name: "clearbanned",
  category: "network",
  privilege: "admin",
  description: "Takes everything off the list of banned addresses and subnets.",
  parameters: {},
  result: Schema.Null,
  examples: [{ params: [] }],
  call: (_, node) =>
    fromNetwork(node, ({ reputation }) => {
      reputation.clear()
      return null
    })
})
