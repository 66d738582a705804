import { type Transaction, transactionId, witnessTransactionId } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { AcceptedTransaction } from "../../engine/api/network-calls.ts"
import { displayHash } from "../../hex.ts"
import type { JsonRead } from "../json/json-value.ts"
import { amount } from "../json/number-text.ts"
import { method } from "../method/method.ts"
import { array, stringOf } from "../method/parameter.ts"
import { Amount, Hex, optionalDescribed, described } from "../method/result-schema.ts"
import { transactionOfHex } from "../raw-transaction/decode-hex.ts"
import { invalidParameter, type RpcError, rpcError, RpcErrorCode } from "../rpc-error.ts"
import { feeRateLimit, maxfeerate } from "./fee-rate-limit.ts"

const Fees = Schema.Struct({
  base: described(Amount, "The fee in BTC"),
  "effective-feerate": described(Amount, "The fee rate in BTC for 1,000 virtual bytes"),
  "effective-includes": described(
    Schema.Array(Hex),
    "The wtxids of the transactions whose fees and sizes make this rate"
  )
})

/** What is said of one transaction. */
export const TestedTransaction = Schema.Struct({
  txid: described(Hex, "The id of the transaction"),
  wtxid: described(Hex, "The same with its witnesses"),
  allowed: described(Schema.Boolean, "Whether the node would accept it"),
  vsize: optionalDescribed(Schema.Number, "Its virtual size, where it would be accepted"),
  fees: optionalDescribed(Fees, "What it pays, where it would be accepted"),
  "reject-reason": optionalDescribed(Schema.String, "Why it would be rejected"),
  "reject-details": optionalDescribed(Schema.String, "The same with what is known besides")
})

const MOST = 25

const transactionIn = (value: JsonRead): Result.Result<Transaction, RpcError> =>
  Result.flatMap(stringOf(value), (digits) => {
    const tx = transactionOfHex(digits, { withWitness: true, withoutWitness: true })
    return tx === undefined
      ? Result.fail(
        rpcError(RpcErrorCode.deserialization, `TX decode failed: ${digits} Make sure the tx has at least one input.`)
      )
      : Result.succeed(tx)
  })

const refused = (reason: string, details: string | undefined) => ({
  allowed: false,
  "reject-reason": reason,
  "reject-details": details
})

const verdictOf = (answer: AcceptedTransaction, wtxid: string) => {
  switch (answer._tag) {
    case "Accepted": {
      const { fee, virtualSize } = answer.transaction
      const rate = (fee * 1_000n) / BigInt(virtualSize)
      const fees = { base: amount(fee), "effective-feerate": amount(rate), "effective-includes": [wtxid] }
      return { allowed: true, vsize: virtualSize, fees }
    }
    case "Known": {
      const reason = answer.isConfirmed === true ? "txn-already-known" : "txn-already-in-mempool"
      return refused(reason, reason)
    }
    case "MissingInputs":
      return refused("missing-inputs", undefined)
    case "Refused":
      return refused(answer.reason, answer.reason === "max-fee-exceeded" ? undefined : answer.details ?? answer.reason)
  }
}

export const testmempoolaccept = method({
  name: "testmempoolaccept",
  category: "rawtransactions",
  privilege: "anyone",
  description: [
    "Answers whether the node would accept a transaction if sendrawtransaction sent it. Nothing is kept or announced to peers.",
    "One transaction at a time: packages are not judged in this build."
  ].join("\n"),
  parameters: {
    rawtxs: array(
      { usage: "[\"rawtx\",...]", description: "The transaction in hexadecimal digits" },
      Schema.Array(Schema.String)
    ),
    maxfeerate
  },
  result: Schema.Array(TestedTransaction),
  examples: [{ params: [["signedhex"]] }],
  call: Effect.fnUntraced(function*({ maxfeerate: given, rawtxs }, { chain, crypto }) {
    const [first, ...others] = rawtxs
    if (first === undefined || rawtxs.length > MOST) {
      return yield* Effect.fail(invalidParameter(`Array must contain between 1 and ${MOST} transactions.`))
    }
    if (others.length > 0) {
      return yield* Effect.fail(
        invalidParameter("Packages are not judged in this build: give one transaction at a time")
      )
    }
    const limit = yield* Effect.fromResult(feeRateLimit(given))
    const tx = yield* Effect.fromResult(transactionIn(first))
    const answer = yield* chain.call("testTransaction", { bytes: new Uint8Array(tx.bytes), ...limit })
    const wtxid = displayHash(witnessTransactionId(tx, crypto))
    return [{ txid: displayHash(transactionId(tx, crypto)), wtxid, ...verdictOf(answer, wtxid) }]
  })
})
