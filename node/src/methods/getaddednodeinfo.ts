import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { optional, text } from "./definition/parameter.ts"
import { optionalDescribed, described } from "../answers/result-schema.ts"
import { callError } from "../queries/call-error.ts"
import { runningNetwork } from "./network/running-network.ts"

const NOT_ADDED = callError("NodeNotAdded", "Error: Node has not been added.")

const Address = Schema.Struct({
  address: described(Schema.String, "The address and port that we are connected to"),
  connected: described(Schema.Literals(["inbound", "outbound"]), "Which side opened the connection")
})

const Added = Schema.Struct({
  addednode: described(Schema.String, "The node as it was named"),
  connected: described(Schema.Boolean, "Whether we are connected to it"),
  addresses: described(Schema.Array(Address), "Where, when we are"),
  error: optionalDescribed(Schema.String, "Why it cannot be reached")
})

export const getaddednodeinfo = method({
  name: "getaddednodeinfo",
  category: "network",
  privilege: "anyone",
  description:
    "Answers which nodes are kept connected, those of the configuration too. Nodes that were tried once are not among them.",
  parameters: { node: optional(text({ description: "Only this one, as it was named" })) },
  result: Schema.Array(Added),
  examples: [{ params: [] }, { params: ["192.0.2.1:8333"] }],
  call: Effect.fnUntraced(function*({ node: name }, node) {
    const { connections: { manual } } = yield* runningNetwork(node)
    const found = manual.list().filter((each) => name === undefined || each.text === name)
    if (name !== undefined && found.length === 0) return yield* Effect.fail(NOT_ADDED)
    return found.map(({ failure, peer, text: addednode }) => ({
      addednode,
      connected: peer !== undefined,
      addresses: peer === undefined
        ? []
        : [{ address: peer.name, connected: peer.inbound ? "inbound" as const : "outbound" as const }],
      error: failure
    }))
  })
})
