import type { Crypto } from "@lockstep/kernel/crypto"
import { type Transaction, transactionId, witnessTransactionId } from "@lockstep/kernel/model"
import { checkPackage, type FeeRate } from "@lockstep/kernel/relay"
import { type RuleId, RULES } from "@lockstep/kernel/rule-ids"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { PackageOutcome, TransactionOutcome } from "../../engine/api/mempool-calls.ts"
import type { CallError } from "../../queries/call-error.ts"
import type { MethodNode } from "../definition/method-node.ts"

/**
 * Passes transactions to the engine, which reads bytes. A transaction without inputs is rejected here, since its bytes
 * would decode differently.
 */

type Node = Pick<MethodNode, "chain" | "crypto">

/** Copies the bytes, since the engine becomes their owner. */
const bytesOf = ({ bytes }: Transaction): Uint8Array => new Uint8Array(bytes)

const reasonOf = (rule: RuleId): string => RULES[rule].reject!

const hasNoInputs = (tx: Transaction): boolean => tx.inputs.length === 0

const withoutInputs = (tx: Transaction, crypto: Crypto): TransactionOutcome => ({
  _tag: "Rejected",
  txid: transactionId(tx, crypto),
  wtxid: witnessTransactionId(tx, crypto),
  rejection: { reason: reasonOf("TXN-001"), debug: undefined, what: "consensus" },
  missing: []
})

const packageWithoutInputs = (transactions: ReadonlyArray<Transaction>, crypto: Crypto): PackageOutcome => {
  const [only, ...others] = transactions
  if (others.length === 0) {
    const failure = { reason: "transaction failed", debug: undefined, isPolicy: false }
    return { failure, outcomes: [withoutInputs(only!, crypto)] }
  }
  const shape = checkPackage(transactions.map((tx) => ({ tx, txid: transactionId(tx, crypto) })))
  const rule = Result.isFailure(shape) ? shape.failure.rule : "POL-144"
  return {
    failure: { reason: reasonOf(rule), debug: undefined, isPolicy: true },
    outcomes: transactions.map(() => undefined)
  }
}

/** Submits a transaction to the mempool or, if `isTest`, tests it only. */
export const judgeTransaction = (
  tx: Transaction,
  isTest: boolean,
  { chain, crypto }: Node
): Effect.Effect<TransactionOutcome, CallError> =>
  hasNoInputs(tx)
    ? Effect.succeed(withoutInputs(tx, crypto))
    : chain.call(isTest ? "testTransaction" : "acceptTransaction", { bytes: bytesOf(tx) })

/** Tests transactions as if they were submitted to the mempool together. */
export const testTransactions = (
  transactions: ReadonlyArray<Transaction>,
  { chain, crypto }: Node
): Effect.Effect<PackageOutcome, CallError> =>
  transactions.some(hasNoInputs)
    ? Effect.succeed(packageWithoutInputs(transactions, crypto))
    : chain.call("testPackage", { transactions: transactions.map(bytesOf) })

/** Submits a package to the mempool. */
export const submitPackageToMempool = (
  transactions: ReadonlyArray<Transaction>,
  maxFeerate: FeeRate | undefined,
  { chain, crypto }: Node
): Effect.Effect<PackageOutcome, CallError> =>
  transactions.some(hasNoInputs)
    ? Effect.succeed(packageWithoutInputs(transactions, crypto))
    : chain.call("acceptPackage", { transactions: transactions.map(bytesOf), maxFeerate })
