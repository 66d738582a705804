import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { text } from "./definition/parameter.ts"
import { bytesOfDigits } from "../hex.ts"
import { callError } from "../queries/call-error.ts"

const HEADER_SIZE = 80

export const submitheader = method({
  name: "submitheader",
  category: "mining",
  privilege: "admin",
  description: "Submits a header; an error says why it is rejected.",
  parameters: { hexdata: text({ description: "The bytes of the header in hexadecimal digits" }) },
  result: Schema.Null,
  examples: [{ params: ["aabbcc"] }],
  call: Effect.fnUntraced(function*({ hexdata }, { chain }) {
    const bytes = bytesOfDigits(hexdata)
    if (bytes === undefined || bytes.length < HEADER_SIZE) {
      return yield* Effect.fail(callError("Deserialization", "Block header decode failed"))
    }
    yield* chain.call("submitHeader", { bytes: bytes.subarray(0, HEADER_SIZE) })
    return null
  })
})
