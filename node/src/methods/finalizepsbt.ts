import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { hexOf } from "../hex.ts"
import { method } from "./definition/method.ts"
import { boolean, optionalWith, text } from "./definition/parameter.ts"
import { described, Hex, optionalDescribed } from "../answers/result-schema.ts"
import { givenPsbt } from "./psbt/given-psbt.ts"
import { psbtText } from "@lockstep/descriptors/psbt/psbt-text.ts"
import { finalTransaction } from "@lockstep/descriptors/psbt/psbt-transaction.ts"
import { finalizePsbt } from "@lockstep/descriptors/psbt/sign/finalize-psbt.ts"

const Finalized = Schema.Struct({
  psbt: optionalDescribed(Schema.String, "The partially signed transaction in base64, if it was not extracted"),
  hex: optionalDescribed(Hex, "The transaction, if it was extracted"),
  complete: described(Schema.Boolean, "Whether every input is satisfied")
})

export const finalizepsbt = method({
  name: "finalizepsbt",
  category: "rawtransactions",
  privilege: "anyone",
  description: [
    "Makes of the signatures of each input the script and the witness that spend its output, where they are enough.",
    "If all are, it answers the transaction, to be sent with sendrawtransaction.",
    "Implements the Finalizer and Extractor roles."
  ].join("\n"),
  parameters: {
    psbt: text({ description: "The partially signed transaction in base64", takesAnyText: true }),
    extract: optionalWith(boolean({ description: "Whether to answer the transaction when it is complete" }), true)
  },
  result: Finalized,
  examples: [{ params: ["psbt"] }],
  call: Effect.fnUntraced(function*({ extract, psbt: given }, node) {
    const psbt = yield* givenPsbt(given, node)
    const complete = yield* finalizePsbt(psbt, node.crypto)
    return complete && extract
      ? { hex: hexOf(finalTransaction(psbt)!.bytes), complete }
      : { psbt: psbtText(psbt), complete }
  })
})
