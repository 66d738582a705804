import { type Transaction, transactionId, witnessTransactionId } from "@lockstep/kernel/model"
import { feePerKilobyte, packageIsChildWithParents, parentsAreIndependent } from "@lockstep/kernel/relay"
import { rejectionText } from "@lockstep/protocol/rejection/rejection.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { TransactionOutcome } from "../engine/api/mempool-calls.ts"
import { displayHash, hexOf } from "../hex.ts"
import { amount } from "../json/number-text.ts"
import { method } from "./definition/method.ts"
import { array } from "./definition/parameter.ts"
import { Amount, described, Hex, optionalDescribed } from "../answers/result-schema.ts"
import { satoshisOf } from "./raw-transaction/amount.ts"
import { submitPackageToMempool } from "./raw-transaction/acceptance.ts"
import { holdBurnLimit, listedTransaction } from "./raw-transaction/submitted.ts"
import { invalidParameter, callError } from "../queries/call-error.ts"
import { feeRateLimit, maxburnamount, maxfeerate } from "./mempool/fee-rate-limit.ts"

const Fees = Schema.Struct({
  base: described(Amount, "The fee in BTC"),
  "effective-feerate": optionalDescribed(
    Amount,
    "The feerate it was judged by, in BTC for 1,000 virtual bytes, where it was not in the mempool before"
  ),
  "effective-includes": optionalDescribed(
    Schema.Array(Hex),
    "The wtxids of the transactions whose fees and sizes make this feerate"
  )
})

const Submitted = Schema.Struct({
  txid: described(Hex, "The id of the transaction"),
  "other-wtxid": optionalDescribed(Hex, "The wtxid under which the mempool has it, with another witness"),
  vsize: optionalDescribed(Schema.Number, "The virtual size it is charged for, where the mempool has it"),
  fees: optionalDescribed(Fees, "What it pays, where the mempool has it"),
  error: optionalDescribed(Schema.String, "Why the mempool does not have it")
})

const Package = Schema.Struct({
  package_msg: described(Schema.String, "success, or why not all were accepted"),
  "tx-results": described(Schema.Record(Schema.String, Submitted), "The transactions, by wtxid"),
  "replaced-transactions": described(Schema.Array(Hex), "The ids of the transactions that they replaced")
})

const MOST = 25

const BAD_TOPOLOGY = callError(
  "Verify",
  "package topology disallowed. not child-with-parents or parents depend on each other."
)

const answerFor = (outcome: TransactionOutcome | undefined) => {
  switch (outcome?._tag) {
    case undefined:
      return { error: "package-not-validated" }
    case "OtherWitness":
      return { "other-wtxid": displayHash(outcome.inMempool) }
    case "Rejected":
      return { error: rejectionText(outcome.rejection) }
    case "InMempool":
      return { vsize: outcome.virtualSize, fees: { base: amount(outcome.fee) } }
    case "Accepted":
      return {
        vsize: outcome.virtualSize,
        fees: {
          base: amount(outcome.fee),
          "effective-feerate": amount(feePerKilobyte(outcome.feerate)),
          "effective-includes": outcome.feerateOf.map(displayHash)
        }
      }
  }
}

/** Returns the ids of replaced transactions without duplicates, in byte order. */
const replacedBy = (outcomes: ReadonlyArray<TransactionOutcome | undefined>): ReadonlyArray<string> => {
  const replaced = outcomes.flatMap((outcome) => outcome?._tag === "Accepted" ? outcome.replaced : [])
  const byRawId = new Map(replaced.map(({ txid }) => [hexOf(txid), txid]))
  return [...byRawId.keys()].toSorted().map((key) => displayHash(byRawId.get(key)!))
}

const holdTopology = (members: ReadonlyArray<{ readonly tx: Transaction; readonly txid: Uint8Array }>) =>
  members.length > 1 &&
    (Result.isFailure(packageIsChildWithParents(members)) || Result.isFailure(parentsAreIndependent(members)))
    ? Result.fail(BAD_TOPOLOGY)
    : Result.succeed(undefined)

export const submitpackage = method({
  name: "submitpackage",
  category: "rawtransactions",
  privilege: "admin",
  description: [
    "Sends a package: a child, which is the last of its transactions, and parents of it. Those that pay too little by themselves may",
    "be accepted for what the child pays. What the mempool takes is announced to all peers, one by one: they may refuse a parent."
  ].join("\n"),
  parameters: {
    package: array(
      { usage: "[\"rawtx\",...]", description: "Up to 25 transactions in hexadecimal digits" },
      Schema.Array(Schema.String)
    ),
    maxfeerate,
    maxburnamount
  },
  result: Package,
  examples: [{ params: [["raw-parent-tx-1", "raw-child-tx"]] }],
  call: Effect.fnUntraced(function*({ maxburnamount: most, maxfeerate: given, package: listed }, node) {
    const { crypto } = node
    if (listed.length === 0 || listed.length > MOST) {
      return yield* Effect.fail(invalidParameter(`Array must contain between 1 and ${MOST} transactions.`))
    }
    const limit = yield* Effect.fromResult(feeRateLimit(given))
    const burnable = yield* Effect.fromResult(satoshisOf(most))
    const transactions = yield* Effect.forEach(
      listed,
      (each) =>
        Effect.fromResult(
          Result.flatMap(listedTransaction(each), (tx) => Result.map(holdBurnLimit(tx, burnable), () => tx))
        )
    )
    const members = transactions.map((tx) => ({ tx, txid: transactionId(tx, crypto) }))
    yield* Effect.fromResult(holdTopology(members))
    const { failure, outcomes } = yield* submitPackageToMempool(transactions, limit, node)
    // A transaction that was already in the mempool may not have reached any peer.
    for (const outcome of outcomes) {
      if (outcome?._tag === "InMempool" || outcome?._tag === "OtherWitness") {
        node.peers()?.announceTransaction(outcome.txid)
      }
    }
    return {
      package_msg: failure === undefined ? "success" : rejectionText(failure),
      "tx-results": Object.fromEntries(members.map(({ tx, txid }, i) => [
        displayHash(witnessTransactionId(tx, crypto)),
        { txid: displayHash(txid), ...answerFor(outcomes[i]) }
      ])),
      "replaced-transactions": replacedBy(outcomes)
    }
  })
})
