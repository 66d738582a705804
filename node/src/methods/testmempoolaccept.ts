import { type Transaction, transactionId, witnessTransactionId } from "@lockstep/kernel/model"
import { feeForSize, feePerKilobyte, type FeeRate } from "@lockstep/kernel/relay"
import { rejectionText } from "@lockstep/protocol/rejection/rejection.ts"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { PackageOutcome, TransactionOutcome } from "../engine/api/mempool-calls.ts"
import { displayHash } from "../hex.ts"
import { amount } from "../json/number-text.ts"
import { method } from "./definition/method.ts"
import { array } from "./definition/parameter.ts"
import { Amount, described, Hex, optionalDescribed } from "../answers/result-schema.ts"
import { judgeTransaction, testTransactions } from "./raw-transaction/acceptance.ts"
import { listedTransaction } from "./raw-transaction/submitted.ts"
import { invalidParameter, type CallError } from "../queries/call-error.ts"
import type { MethodNode } from "./definition/method-node.ts"
import { feeRateLimit, maxfeerate } from "./mempool/fee-rate-limit.ts"

const Fees = Schema.Struct({
  base: described(Amount, "The fee in BTC"),
  "effective-feerate": described(Amount, "The feerate it is judged by, in BTC for 1,000 virtual bytes"),
  "effective-includes": described(
    Schema.Array(Hex),
    "The wtxids of the transactions whose fees and sizes make this feerate"
  )
})

/** Result for one transaction. */
export const TestedTransaction = Schema.Struct({
  txid: described(Hex, "The id of the transaction"),
  wtxid: described(Hex, "The same with its witnesses"),
  "package-error": optionalDescribed(Schema.String, "Why the transactions cannot go together"),
  allowed: optionalDescribed(Schema.Boolean, "Whether the node would accept it; absent: it was not judged to the end"),
  vsize: optionalDescribed(Schema.Number, "The virtual size it is charged for, where it would be accepted"),
  fees: optionalDescribed(Fees, "What it pays, where it would be accepted"),
  "reject-reason": optionalDescribed(Schema.String, "Why it would be rejected"),
  "reject-details": optionalDescribed(Schema.String, "The same with what is known besides")
})

const MOST = 25

const refused = (reason: string, details: string | undefined) => ({
  allowed: false,
  "reject-reason": reason,
  "reject-details": details
})

const verdictOf = (outcome: TransactionOutcome) => {
  switch (outcome._tag) {
    case "Accepted":
      return {
        allowed: true,
        vsize: outcome.virtualSize,
        fees: {
          base: amount(outcome.fee),
          "effective-feerate": amount(feePerKilobyte(outcome.feerate)),
          "effective-includes": outcome.feerateOf.map(displayHash)
        }
      }
    case "InMempool":
      return refused("txn-already-in-mempool", "txn-already-in-mempool")
    case "OtherWitness":
      return refused("txn-same-nonwitness-data-in-mempool", "txn-same-nonwitness-data-in-mempool")
    case "Rejected":
      return outcome.rejection.what === "missing inputs"
        ? refused("missing-inputs", undefined)
        : refused(outcome.rejection.reason, rejectionText(outcome.rejection))
  }
}

const paysMore = (outcome: TransactionOutcome, limit: FeeRate | undefined): boolean =>
  limit !== undefined && outcome._tag === "Accepted" && outcome.fee > feeForSize(limit, outcome.virtualSize)

const outcomeOf = (
  transactions: ReadonlyArray<Transaction>,
  node: MethodNode
): Effect.Effect<PackageOutcome, CallError> =>
  transactions.length > 1
    ? testTransactions(transactions, node)
    : Effect.map(
      judgeTransaction(transactions[0]!, true, node),
      (outcome) => ({ failure: undefined, outcomes: [outcome] })
    )

/** Returns the results. Transactions after one that pays too much have none. */
const verdictsOf = ({ outcomes }: PackageOutcome, limit: FeeRate | undefined) => {
  const rich = outcomes.findIndex((outcome) => outcome !== undefined && paysMore(outcome, limit))
  return outcomes.map((outcome, i) => {
    if (outcome === undefined || (rich >= 0 && i > rich)) return {}
    return i === rich ? refused("max-fee-exceeded", undefined) : verdictOf(outcome)
  })
}

export const testmempoolaccept = method({
  name: "testmempoolaccept",
  category: "rawtransactions",
  privilege: "anyone",
  description: [
    "Answers whether the node would accept transactions. Nothing is kept or announced to peers. One transaction is judged as",
    "sendrawtransaction would. Of several, later ones may spend earlier ones; each pays for itself, and none replaces others."
  ].join("\n"),
  parameters: {
    rawtxs: array(
      { usage: "[\"rawtx\",...]", description: "Up to 25 transactions in hexadecimal digits, parents before children" },
      Schema.Array(Schema.String)
    ),
    maxfeerate
  },
  result: Schema.Array(TestedTransaction),
  examples: [{ params: [["signedhex"]] }],
  call: Effect.fnUntraced(function*({ maxfeerate: given, rawtxs }, node) {
    if (rawtxs.length === 0 || rawtxs.length > MOST) {
      return yield* Effect.fail(invalidParameter(`Array must contain between 1 and ${MOST} transactions.`))
    }
    const limit = yield* Effect.fromResult(feeRateLimit(given))
    const transactions = yield* Effect.forEach(rawtxs, (each) => Effect.fromResult(listedTransaction(each)))
    const outcome = yield* outcomeOf(transactions, node)
    const { failure } = outcome
    const verdicts = verdictsOf(outcome, limit)
    return transactions.map((tx, i) => ({
      txid: displayHash(transactionId(tx, node.crypto)),
      wtxid: displayHash(witnessTransactionId(tx, node.crypto)),
      "package-error": failure?.isPolicy === true ? rejectionText(failure) : undefined,
      ...verdicts[i]
    }))
  })
})
