import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AUTOMATIC_KINDS } from "../p2p/connections/connect-as.ts"
import { helpText } from "./help/help-text.ts"
import { type Method, method } from "./definition/method.ts"
import { boolean, text } from "./definition/parameter.ts"
import { described } from "../answers/result-schema.ts"
import { invalidParameter, callError } from "../queries/call-error.ts"
import { runningNetwork } from "./network/running-network.ts"

const Made = Schema.Struct({
  address: described(Schema.String, "The address, as it was given"),
  connection_type: described(Schema.String, "The kind of the connection")
})

const NOT_REGTEST = callError(
  "Misc",
  "addconnection is for regression testing (-regtest mode) only."
)
const FULL = callError(
  "NodeCapacityReached",
  "Error: Already at capacity for specified connection type."
)
const UNENCRYPTED = "Error: Adding v2transport connections requires -v2transport init flag to be set."

export const addconnection: Method = method({
  name: "addconnection",
  category: "network",
  isHidden: true,
  privilege: "admin",
  description: [
    "Makes one outbound connection of a kind that the node otherwise makes by itself. On regtest only, for tests.",
    "The answer comes when the attempt is over and does not say whether the node was reached: see getpeerinfo."
  ].join("\n"),
  parameters: {
    address: text({ description: "The address of the node, maybe with a port" }),
    connection_type: text({
      description: "\"outbound-full-relay\", \"block-relay-only\", \"addr-fetch\" or \"feeler\""
    }),
    v2transport: boolean({ description: "Whether to begin with the encrypted v2 transport" })
  },
  result: Made,
  examples: [{ params: ["192.0.2.1:18444", "outbound-full-relay", false] }],
  call: Effect.fnUntraced(function*({ address, connection_type: type, v2transport }, node) {
    if (node.network.name !== "regtest") return yield* Effect.fail(NOT_REGTEST)
    const kind = AUTOMATIC_KINDS.find((each) => each === type.trim())
    if (kind === undefined) return yield* Effect.fail(invalidParameter(helpText(addconnection, node)))
    const { connections, hasV2 } = yield* runningNetwork(node)
    if (v2transport && !hasV2) return yield* Effect.fail(invalidParameter(UNENCRYPTED))
    const isMade = yield* connections.connectAs(address, kind, v2transport)
    return isMade ? { address, connection_type: kind } : yield* Effect.fail(FULL)
  })
})
