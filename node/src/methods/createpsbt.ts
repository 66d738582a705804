import { psbtOf } from "@lockstep/protocol/psbt/unsigned-transaction.ts"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { psbtText } from "@lockstep/descriptors/psbt/psbt-text.ts"
import { method } from "./definition/method.ts"
import { PSBT_VERSION, psbtVersionOf } from "./psbt/given-psbt.ts"
import { transactionParts, TRANSACTION_PARAMETERS } from "./raw-transaction/make-transaction.ts"

export const createpsbt = method({
  name: "createpsbt",
  category: "rawtransactions",
  privilege: "anyone",
  description: [
    "Makes a transaction in the format for partially signed ones. Implements the Creator role.",
    "Nothing is signed, stored or sent."
  ].join("\n"),
  parameters: { ...TRANSACTION_PARAMETERS, psbt_version: PSBT_VERSION },
  result: Schema.String,
  examples: [{
    params: [
      [{ txid: "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b", vout: 0 }],
      [{ data: "00010203" }]
    ]
  }],
  call: Effect.fnUntraced(function*(
    { inputs, locktime: lockTime, outputs, psbt_version, replaceable, version },
    { network }
  ) {
    const parts = yield* Effect.fromResult(
      transactionParts({ inputs, outputs, lockTime, replaceable, version }, network)
    )
    return psbtText(psbtOf(parts, yield* Effect.fromResult(psbtVersionOf(psbt_version))))
  })
})
