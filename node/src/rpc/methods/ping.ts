import * as Schema from "effect/Schema"
import { method } from "../method/method.ts"
import { fromNetwork } from "./running-network.ts"

export const ping = method({
  name: "ping",
  category: "network",
  privilege: "admin",
  description: [
    "Sends a ping to every peer. How long the answers take is told by getpeerinfo, as pingtime and pingwait.",
    "A peer answers it when it is done with all before it, so it tells of its load as well."
  ].join("\n"),
  parameters: {},
  result: Schema.Null,
  examples: [{ params: [] }],
  call: (_, node) =>
    fromNetwork(node, ({ pingAll }) => {
      pingAll()
      return null
    })
})
