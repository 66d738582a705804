import { transactionId } from "@lockstep/kernel/model/identity.ts"
import type { Transaction } from "@lockstep/kernel/model/transaction.ts"
import { isUnspendable } from "@lockstep/kernel/utxo/spendable.ts"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AcceptedTransaction } from "../../engine/calls/network-calls.ts"
import { displayHash } from "../decode/hex.ts"
import { JsonNumber } from "../json/json-value.ts"
import { method } from "../method/method.ts"
import { anything, optionalWith, text } from "../method/parameter.ts"
import { Hex } from "../method/result-schema.ts"
import { satoshisOf } from "../raw-transaction/amount.ts"
import { transactionOfHex } from "../raw-transaction/decode-hex.ts"
import { invalidParameter, type RpcError, rpcError, RpcErrorCode } from "../rpc-error.ts"

const UNDECODABLE = rpcError(RpcErrorCode.deserialization, "TX decode failed. Make sure the tx has at least one input.")
const BURNS = rpcError(RpcErrorCode.verify, "Unspendable output exceeds maximum configured by user (maxburnamount)")
const TOO_RICH = rpcError(RpcErrorCode.verify, "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)")
const MISSING = rpcError(RpcErrorCode.verify, "bad-txns-inputs-missingorspent")
const CONFIRMED = rpcError(RpcErrorCode.alreadyInSet, "Transaction outputs already in utxo set")

const COIN = 100_000_000n

const burnsMore = ({ outputs }: Transaction, limit: bigint): boolean =>
  outputs.some(({ script, value }) => isUnspendable(script) && value > limit)

/** What a caller hears of a transaction that is not in the pool now. */
const errorOf = (answer: AcceptedTransaction): RpcError | undefined => {
  switch (answer._tag) {
    case "Accepted":
      return undefined
    case "Known":
      return answer.isConfirmed === true ? CONFIRMED : undefined
    case "MissingInputs":
      return MISSING
    case "Refused":
      if (answer.reason === "txn-same-nonwitness-data-in-mempool") return undefined
      return answer.reason === "max-fee-exceeded" ? TOO_RICH : rpcError(RpcErrorCode.rejected, answer.details ?? answer.reason)
  }
}

const amountSchema = Schema.Union([Schema.Number, Schema.String])

export const sendrawtransaction = method({
  name: "sendrawtransaction",
  category: "rawtransactions",
  privilege: "admin",
  description: "Hands in a transaction: the next block could hold it, or the call fails with the reason. It is offered to all peers.",
  parameters: {
    hexstring: text({ description: "The transaction in hexadecimal digits" }),
    maxfeerate: optionalWith(
      anything({ description: "The most it may pay, in BTC for 1,000 virtual bytes; 0: any" }, amountSchema),
      new JsonNumber("0.10"),
      "0.10"
    ),
    maxburnamount: optionalWith(
      anything({ description: "The most, in BTC, that an output nobody can spend may have" }, amountSchema),
      new JsonNumber("0.00"),
      "0.00"
    )
  },
  result: Hex,
  examples: [{ params: ["signedhex"] }],
  call: Effect.fnUntraced(function*({ hexstring, maxburnamount, maxfeerate }, { chain, crypto }) {
    const burnable = yield* Effect.fromResult(satoshisOf(maxburnamount))
    const tx = transactionOfHex(hexstring, { withWitness: true, withoutWitness: true })
    if (tx === undefined) return yield* Effect.fail(UNDECODABLE)
    if (burnsMore(tx, burnable)) return yield* Effect.fail(BURNS)
    const rate = yield* Effect.fromResult(satoshisOf(maxfeerate))
    if (rate >= COIN) return yield* Effect.fail(invalidParameter("Fee rates larger than or equal to 1BTC/kvB are not accepted"))
    const limit = rate === 0n ? {} : { mostRate: Number(rate) }
    const answer = yield* chain.call("acceptTransaction", { bytes: new Uint8Array(tx.bytes), ...limit })
    const error = errorOf(answer)
    return error === undefined ? displayHash(transactionId(tx, crypto)) : yield* Effect.fail(error)
  })
})
