import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { bytesOfDigits } from "../hex.ts"
import { method } from "./definition/method.ts"
import { longInteger, text } from "./definition/parameter.ts"
import { invalidParameter, callError } from "../queries/call-error.ts"
import { runningNetwork } from "./network/running-network.ts"

const LONGEST_TYPE = 12

const TOO_LONG = invalidParameter(`Error: msg_type too long, max length is ${LONGEST_TYPE}`)
const NO_HEX = invalidParameter("Error parsing input for msg")
const NOT_SENT = callError("Misc", "Error: Could not send message to peer")

export const sendmsgtopeer = method({
  name: "sendmsgtopeer",
  category: "network",
  isHidden: true,
  privilege: "admin",
  description: [
    "Sends a message of any type and content to a peer, without a look at it. For tests: a peer may well disconnect",
    "for it."
  ].join("\n"),
  parameters: {
    peer_id: longInteger({ description: "The number of the peer, as in getpeerinfo" }),
    msg_type: text({ description: "The type of the message, at most 12 characters" }),
    msg: text({ description: "Its content, in hexadecimal digits" })
  },
  result: Schema.Struct({}),
  examples: [{ params: [0, "addr", "ffffff"] }],
  call: Effect.fnUntraced(function*({ msg, msg_type: type, peer_id: id }, node) {
    const network = yield* runningNetwork(node)
    if (Buffer.byteLength(type) > LONGEST_TYPE) return yield* Effect.fail(TOO_LONG)
    const payload = bytesOfDigits(msg)
    if (payload === undefined) return yield* Effect.fail(NO_HEX)
    return network.sendPayload(id, type, payload) ? {} : yield* Effect.fail(NOT_SENT)
  })
})
