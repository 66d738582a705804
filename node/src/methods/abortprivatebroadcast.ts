import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { displayHash } from "../hex.ts"
import { JsonBytes } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { hash } from "./definition/parameter.ts"
import { described, Hex, LongHex } from "../answers/result-schema.ts"
import { callError } from "../queries/call-error.ts"
import { runningPrivateBroadcast } from "./network/running-private-broadcast.ts"

const UNKNOWN = callError(
  "InvalidAddressOrKey",
  "Transaction not in private broadcast queue. Check getprivatebroadcastinfo."
)

const RemovedTransaction = Schema.Struct({
  txid: described(Hex, "Its txid"),
  wtxid: described(Hex, "Its wtxid"),
  hex: described(LongHex, "The transaction")
})

export const abortprivatebroadcast = method({
  name: "abortprivatebroadcast",
  category: "rawtransactions",
  privilege: "admin",
  description: [
    "Ends the private broadcast of a transaction. It may be known to some peers already: a transaction cannot be taken back,",
    "it can only be replaced."
  ].join("\n"),
  parameters: { id: hash({ description: "The txid or wtxid of the transaction" }) },
  result: Schema.Struct({
    removed_transactions: described(Schema.Array(RemovedTransaction), "The transactions that are broadcast no longer")
  }),
  examples: [{ params: ["4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"] }],
  call: Effect.fnUntraced(function*({ id }, node) {
    const removed = (yield* runningPrivateBroadcast(node)).abort(id)
    if (removed.length === 0) return yield* Effect.fail(UNKNOWN)
    return {
      removed_transactions: removed.map(({ transaction, txid, wtxid }) => ({
        txid: displayHash(txid),
        wtxid: displayHash(wtxid),
        hex: new JsonBytes(transaction.bytes)
      }))
    }
  })
})
