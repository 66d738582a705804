import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { optional, text } from "./definition/parameter.ts"
import { bytesOfDigits } from "../hex.ts"
import { variant } from "../answers/result-schema.ts"
import { callError } from "../queries/call-error.ts"

export const submitblock = method({
  name: "submitblock",
  category: "mining",
  privilege: "admin",
  description: "Submits a block, and activates the best chain. A missing witness nonce of the coinbase is filled in.",
  parameters: {
    hexdata: text({ description: "The bytes of the block in hexadecimal digits" }),
    dummy: optional(text({ description: "Ignored; there for BIP22" }))
  },
  result: Schema.Union([
    variant("the block is the tip now", Schema.Null),
    variant("otherwise", Schema.String.annotate({ description: "Why it is not, in the words of BIP22" }))
  ]),
  examples: [{ params: ["mydata"] }],
  call: Effect.fnUntraced(function*({ hexdata }, { chain }) {
    const bytes = hexdata === "" ? undefined : bytesOfDigits(hexdata)
    if (bytes === undefined) return yield* Effect.fail(callError("Deserialization", "Block decode failed"))
    const { result } = yield* chain.call("submitBlock", { bytes })
    return result ?? null
  })
})
