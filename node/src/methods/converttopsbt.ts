import { psbtOf } from "@lockstep/protocol/psbt/unsigned-transaction.ts"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { psbtText } from "@lockstep/descriptors/psbt/psbt-text.ts"
import { method } from "./definition/method.ts"
import { boolean, optional, optionalWith, text } from "./definition/parameter.ts"
import { PSBT_VERSION, psbtVersionOf } from "./psbt/given-psbt.ts"
import { transactionOfHex } from "./raw-transaction/decode-hex.ts"
import { callError } from "../queries/call-error.ts"

const bad = (message: string) => callError("Deserialization", message)

export const converttopsbt = method({
  name: "converttopsbt",
  category: "rawtransactions",
  privilege: "anyone",
  description: [
    "Turns a transaction into a partially signed one without signatures.",
    "New programs call createpsbt; this is for what createrawtransaction has made."
  ].join("\n"),
  parameters: {
    hexstring: text({ description: "The transaction in hexadecimal digits" }),
    permitsigdata: optionalWith(
      boolean({ description: "Whether signatures are left out; otherwise a transaction that has some is refused" }),
      false
    ),
    iswitness: optional(boolean({ description: "Whether it is in the form with witnesses; found out if missing" })),
    psbt_version: PSBT_VERSION
  },
  result: Schema.String,
  examples: [{ params: ["transaction"] }],
  call: Effect.fnUntraced(function*({ hexstring, iswitness, permitsigdata, psbt_version }) {
    const tx = transactionOfHex(hexstring, { withWitness: iswitness !== false, withoutWitness: iswitness !== true })
    if (tx === undefined) return yield* Effect.fail(bad("TX decode failed"))
    if (!permitsigdata && tx.inputs.some(({ script, witness }) => script.length > 0 || witness.length > 0)) {
      return yield* Effect.fail(bad("Inputs must not have scriptSigs and scriptWitnesses"))
    }
    return psbtText(psbtOf(tx, yield* Effect.fromResult(psbtVersionOf(psbt_version))))
  })
})
