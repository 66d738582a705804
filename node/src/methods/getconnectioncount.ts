import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { openConnections } from "../p2p/peer/open-connections.ts"
import { fromNetwork } from "./network/running-network.ts"

export const getconnectioncount = method({
  name: "getconnectioncount",
  category: "network",
  privilege: "anyone",
  description: "Answers how many other nodes the node is connected to.",
  parameters: {},
  result: Schema.Number.annotate({ description: "Connections in both directions" }),
  examples: [{ params: [] }],
  call: (_, node) => fromNetwork(node, ({ peers }) => openConnections(peers).length)
})
