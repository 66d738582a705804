import { type Transaction, transactionId } from "@lockstep/kernel/model"
import { isUnspendable } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import type { AcceptedTransaction } from "../../engine/api/network-calls.ts"
import { displayHash } from "../../hex.ts"
import { JsonNumber } from "../json/json-value.ts"
import { method } from "../method/method.ts"
import { anything, optionalWith, text } from "../method/parameter.ts"
import { Hex } from "../method/result-schema.ts"
import { satoshisOf } from "../raw-transaction/amount.ts"
import { transactionOfHex } from "../raw-transaction/decode-hex.ts"
import { hasValidOperations } from "../raw-transaction/valid-operations.ts"
import { type RpcError, rpcError, RpcErrorCode } from "../rpc-error.ts"
import { AmountText, feeRateLimit, maxfeerate } from "./fee-rate-limit.ts"

const UNDECODABLE = rpcError(RpcErrorCode.deserialization, "TX decode failed. Make sure the tx has at least one input.")
const BURNS = rpcError(RpcErrorCode.verify, "Unspendable output exceeds maximum configured by user (maxburnamount)")
const MAX_FEE_EXCEEDED = rpcError(
  RpcErrorCode.verify,
  "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)"
)
const MISSING = rpcError(RpcErrorCode.verify, "bad-txns-inputs-missingorspent")
const CONFIRMED = rpcError(RpcErrorCode.alreadyInSet, "Transaction outputs already in utxo set")

const burnsMore = ({ outputs }: Transaction, limit: bigint): boolean =>
  outputs.some(({ script, value }) => (isUnspendable(script) || !hasValidOperations(script)) && value > limit)

/** The error about a transaction that is not in the mempool now. */
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
      return answer.reason === "max-fee-exceeded"
        ? MAX_FEE_EXCEEDED
        : rpcError(RpcErrorCode.rejected, answer.details ?? answer.reason)
  }
}

export const sendrawtransaction = method({
  name: "sendrawtransaction",
  category: "rawtransactions",
  privilege: "admin",
  description: [
    "Sends a transaction: the next block could hold it, or the call fails with the reason. The mempool keeps it and announces it to all",
    "peers. Blocks that this node makes itself leave it out in this build."
  ].join("\n"),
  parameters: {
    hexstring: text({ description: "The transaction in hexadecimal digits" }),
    maxfeerate,
    maxburnamount: optionalWith(
      anything({ description: "The most, in BTC, that an unspendable output may have" }, AmountText),
      new JsonNumber("0.00"),
      "0.00"
    )
  },
  result: Hex,
  examples: [{ params: ["signedhex"] }],
  call: Effect.fnUntraced(function*({ hexstring, maxburnamount, maxfeerate: given }, { chain, crypto }) {
    const burnable = yield* Effect.fromResult(satoshisOf(maxburnamount))
    const tx = transactionOfHex(hexstring, { withWitness: true, withoutWitness: true })
    if (tx === undefined) return yield* Effect.fail(UNDECODABLE)
    if (burnsMore(tx, burnable)) return yield* Effect.fail(BURNS)
    const limit = yield* Effect.fromResult(feeRateLimit(given))
    const answer = yield* chain.call("acceptTransaction", { bytes: new Uint8Array(tx.bytes), ...limit })
    const error = errorOf(answer)
    return error === undefined ? displayHash(transactionId(tx, crypto)) : yield* Effect.fail(error)
  })
})
