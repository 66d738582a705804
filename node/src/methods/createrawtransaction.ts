import * as Effect from "effect/Effect"
import { hexOf } from "../hex.ts"
import { method } from "./definition/method.ts"
import { Hex } from "../answers/result-schema.ts"
import { makeTransaction, TRANSACTION_PARAMETERS } from "./raw-transaction/make-transaction.ts"

export const createrawtransaction = method({
  name: "createrawtransaction",
  category: "rawtransactions",
  privilege: "anyone",
  description: "Makes a transaction without signatures. Nothing is stored or sent.",
  parameters: TRANSACTION_PARAMETERS,
  result: Hex,
  examples: [{
    params: [
      [{ txid: "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b", vout: 0 }],
      [{ data: "00010203" }]
    ]
  }],
  call: ({ inputs, locktime: lockTime, outputs, replaceable, version }, { network }) =>
    Effect.map(
      Effect.fromResult(makeTransaction({ inputs, outputs, lockTime, replaceable, version }, network)),
      hexOf
    )
})
