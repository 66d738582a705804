import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { fromNetwork } from "./network/running-network.ts"

export const ping = method({
  name: "ping",
  category: "network",
  privilege: "admin",
  description: [
    "Sends a ping to every peer. getpeerinfo shows how long the answers take, as pingtime and pingwait.",
    "A peer answers it after all messages before it, so the time shows its load as well."
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
