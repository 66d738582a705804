import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { hexOf } from "../../hex.ts"
import { method } from "../method/method.ts"
import { anything, array, boolean, integer, longInteger, optional, optionalWith } from "../method/parameter.ts"
import { Hex, optionalDescribed, described } from "../method/result-schema.ts"
import { makeTransaction } from "../raw-transaction/make-transaction.ts"

const Input = Schema.Struct({
  txid: described(Hex, "The transaction whose output is spent"),
  vout: described(Schema.Int, "The place of that output"),
  sequence: optionalDescribed(Schema.Int, "The sequence number")
})

const Outputs = Schema.Union([
  Schema.Array(Schema.Record(Schema.String, Schema.Union([Schema.Number, Schema.String]))),
  Schema.Record(Schema.String, Schema.Union([Schema.Number, Schema.String]))
])

const DEFAULT_VERSION = 2

export const createrawtransaction = method({
  name: "createrawtransaction",
  category: "rawtransactions",
  privilege: "anyone",
  description: "Makes a transaction without signatures. Nothing is stored or sent.",
  parameters: {
    inputs: array({ description: "The outputs to spend" }, Schema.Array(Input)),
    outputs: anything({
      description: "Addresses with their amounts in BTC, and at most one data with hexadecimal digits"
    }, Outputs),
    locktime: optionalWith(longInteger({ description: "The lock time" }), 0),
    replaceable: optional(
      boolean({ description: "Whether sequence numbers say that it may be replaced (true if missing)" })
    ),
    version: optionalWith(integer({ description: "The version" }), DEFAULT_VERSION)
  },
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
