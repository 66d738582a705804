import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { runningNetwork } from "./network/running-network.ts"

export const clearbanned = method({
  name: "clearbanned",
  category: "network",
  privilege: "admin",
  description: "Removes all bans of addresses and subnets.",
  parameters: {},
  result: Schema.Null,
  examples: [{ params: [] }],
  call: (_, node) =>
    Effect.flatMap(runningNetwork(node), ({ keepBans, reputation }) => {
      reputation.clear()
      return Effect.as(keepBans, null)
    })
})
