import type { Crypto } from "@lockstep/kernel/crypto"
import { type Block, type Transaction, transactionId, witnessTransactionId } from "@lockstep/kernel/model"
import { checkTransaction } from "@lockstep/kernel/tx"
import type { Violation } from "@lockstep/kernel/verdict"
import type { Offender } from "@lockstep/protocol/rejection/debug-message.ts"
import { type Rejection, rejectionOf } from "@lockstep/protocol/rejection/rejection.ts"
import * as Result from "effect/Result"
import { displayHash } from "../../hex.ts"

/** Describes the transaction that breaks a rule. */
export const offenderOf = (tx: Transaction, crypto: Crypto): Offender => ({
  txid: displayHash(transactionId(tx, crypto)),
  wtxid: displayHash(witnessTransactionId(tx, crypto)),
  spends: tx.inputs.map(({ prevout: { txid, vout } }) => ({ txid: displayHash(txid), vout }))
})

const jobOf = ({ detail }: Violation): number | undefined =>
  typeof detail === "object" && detail !== null && "job" in detail && typeof detail.job === "number"
    ? detail.job
    : undefined

/** Returns the index of the transaction that breaks a rule, or `undefined` for rules that only a whole block can break. */
const placeOf = (block: Block, violation: Violation, jobs: number): number | undefined => {
  const job = jobOf(violation)
  // The coinbase has no job.
  if (job !== undefined) return job + 1
  if (violation.rule.startsWith("TXI-")) return jobs + 1
  if (!violation.rule.startsWith("TXN-")) return undefined
  return block.transactions.findIndex((tx) => Result.isFailure(checkTransaction(tx)))
}

/**
 * Describes why a block is rejected, with the transaction that breaks the rule. `jobs` is the number of jobs collected,
 * those of all transactions before the one with invalid coins.
 */
export const blockRejection = (violation: Violation, block: Block, crypto: Crypto, jobs = 0): Rejection => {
  const place = placeOf(block, violation, jobs)
  const tx = place === undefined ? undefined : block.transactions[place]
  return rejectionOf(violation, tx && offenderOf(tx, crypto))
}
