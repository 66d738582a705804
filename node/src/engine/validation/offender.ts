import type { Crypto } from "@lockstep/kernel/crypto"
import { type Block, type Transaction, transactionId, witnessTransactionId } from "@lockstep/kernel/model"
import { checkTransaction } from "@lockstep/kernel/tx"
import type { Violation } from "@lockstep/kernel/verdict"
import type { Offender } from "@lockstep/protocol/rejection/debug-message.ts"
import { type Rejection, rejectionOf } from "@lockstep/protocol/rejection/rejection.ts"
import * as Result from "effect/Result"
import { displayHash } from "../../hex.ts"

/** A transaction as the one that breaks a rule. */
export const offenderOf = (tx: Transaction, crypto: Crypto): Offender => ({
  txid: displayHash(transactionId(tx, crypto)),
  wtxid: displayHash(witnessTransactionId(tx, crypto)),
  spends: tx.inputs.map(({ prevout: { txid, vout } }) => ({ txid: displayHash(txid), vout }))
})

const jobOf = ({ detail }: Violation): number | undefined =>
  typeof detail === "object" && detail !== null && "job" in detail && typeof detail.job === "number"
    ? detail.job
    : undefined

/** The place of the transaction that breaks a rule. Rules that only a block can break have none. */
const placeOf = (block: Block, violation: Violation, jobs: number): number | undefined => {
  const job = jobOf(violation)
  // The coinbase has no job.
  if (job !== undefined) return job + 1
  if (violation.rule.startsWith("TXI-")) return jobs + 1
  if (!violation.rule.startsWith("TXN-")) return undefined
  return block.transactions.findIndex((tx) => Result.isFailure(checkTransaction(tx)))
}

/**
 * Why a block that breaks a rule is rejected, with the transaction that does. `jobs`: of the block as it was collected,
 * which are those of all transactions before the one whose coins do not hold.
 */
export const blockRejection = (violation: Violation, block: Block, crypto: Crypto, jobs = 0): Rejection => {
  const place = placeOf(block, violation, jobs)
  const tx = place === undefined ? undefined : block.transactions[place]
  return rejectionOf(violation, tx && offenderOf(tx, crypto))
}
