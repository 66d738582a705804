import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { boolean } from "./definition/parameter.ts"
import { fromNetwork } from "./network/running-network.ts"

export const setnetworkactive = method({
  name: "setnetworkactive",
  category: "network",
  privilege: "admin",
  description: "Switches all connections to other nodes off, or on again. A restart switches them on.",
  parameters: { state: boolean({ description: "Whether there are to be connections" }) },
  result: Schema.Boolean.annotate({ description: "The state that was asked for" }),
  examples: [{ params: [false] }],
  call: ({ state }, node) =>
    fromNetwork(node, ({ connections }) => {
      connections.setActive(state)
      return connections.isActive()
    })
})
