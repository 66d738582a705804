import * as Effect from "effect/Effect"
import { TransactionJson, transactionJson } from "../answers/transaction-json.ts"
import { method } from "./definition/method.ts"
import { boolean, optional, text } from "./definition/parameter.ts"
import { transactionOfHex } from "./raw-transaction/decode-hex.ts"
import { callError } from "../queries/call-error.ts"

export const decoderawtransaction = method({
  name: "decoderawtransaction",
  category: "rawtransactions",
  privilege: "anyone",
  description: "Answers what is in a transaction. It need not be valid, nor known to this node.",
  parameters: {
    hexstring: text({ description: "The transaction in hexadecimal digits" }),
    iswitness: optional(boolean({ description: "Whether it is in the form with witnesses; found out if missing" }))
  },
  result: TransactionJson,
  examples: [{ params: ["02000000000000000000"] }],
  call: ({ hexstring, iswitness }, { crypto, network }) => {
    const tx = transactionOfHex(hexstring, { withWitness: iswitness !== false, withoutWitness: iswitness !== true })
    return tx === undefined
      ? Effect.fail(callError("Deserialization", "TX decode failed"))
      : Effect.succeed(transactionJson(tx, { crypto, prefixes: network.addresses }))
  }
})
