import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { endpointText, parseNode } from "../net/endpoint-text.ts"
import { method } from "./definition/method.ts"
import { longInteger, optional, text } from "./definition/parameter.ts"
import { callError } from "../queries/call-error.ts"
import { runningNetwork } from "./network/running-network.ts"

const ONE_OF_BOTH = callError("InvalidParams", "Only one of address and nodeid should be provided.")
const NOT_CONNECTED = callError("NodeNotConnected", "Node not found in connected nodes")

export const disconnectnode = method({
  name: "disconnectnode",
  category: "network",
  privilege: "admin",
  description: [
    "Ends the connection to a node at once. Either its address or its number says which.",
    "To name it by its number leave the address out, or empty."
  ].join("\n"),
  parameters: {
    address: optional(text({ description: "The address and port of the node" })),
    nodeid: optional(longInteger({ description: "The number of the node, from getpeerinfo" }))
  },
  result: Schema.Null,
  examples: [{ params: ["192.0.2.1:8333"] }, { params: ["", 1] }],
  call: Effect.fnUntraced(function*({ address, nodeid }, node) {
    const { peers } = yield* runningNetwork(node)
    const isByAddress = address !== undefined && nodeid === undefined
    if (!isByAddress && (nodeid === undefined || (address ?? "") !== "")) return yield* Effect.fail(ONE_OF_BOTH)
    const endpoint = address === undefined ? undefined : parseNode(address, 0)
    const name = endpoint === undefined ? address : endpointText(endpoint)
    const found = isByAddress
      ? [...peers.values()].filter((peer) => (peer.name === name || peer.writtenAs === address) && !peer.isGone)
      : [...peers.values()].filter((peer) => peer.id === nodeid && !peer.isGone)
    if (found.length === 0) return yield* Effect.fail(NOT_CONNECTED)
    for (const peer of found) peer.disconnect({ _tag: "OperatorRequest" })
    return null
  })
})
