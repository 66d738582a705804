import type { RelayRejectionClass } from "@lockstep/protocol/rejection/relay-class.ts"
import type { ConfirmedTransactions } from "../chain/p2p-chain.ts"
import type { ScannedTransaction } from "./scan-transaction.ts"
import type { SeenTransactions } from "./already-have-tx.ts"
import type { TxRequestTracker } from "./tx-request-tracker.ts"

/** Records the outcomes of validated transactions. */
export interface OutcomeRecorder {
  /** The transaction entered the mempool. Its children are validated again. */
  readonly accepted: (transaction: ScannedTransaction) => void
  /** The transaction was in the mempool already. */
  readonly isHere: (transaction: ScannedTransaction) => void
  /** The transaction was rejected, but not for missing inputs. */
  readonly rejected: (transaction: ScannedTransaction, what: RelayRejectionClass | "other witness") => void
  /** A parent was rejected, so that no witness makes the transaction valid. */
  readonly hopeless: (transaction: ScannedTransaction) => void
  /** The transactions are in a block that is about to become the tip. Returns the number of orphans that it removes. */
  readonly confirmed: (transactions: ConfirmedTransactions) => number
}

export const outcomeRecorder = (
  { confirmed, orphans, reconsiderable, rejects }: SeenTransactions,
  requests: Pick<TxRequestTracker, "forget">
): OutcomeRecorder => {
  const forget = (txid: Uint8Array, wtxid: Uint8Array): void => {
    requests.forget(txid)
    requests.forget(wtxid)
  }

  const isHere = ({ txid, wtxid }: ScannedTransaction): void => {
    forget(txid, wtxid)
    orphans.remove(wtxid)
  }

  return {
    accepted: (transaction) => {
      orphans.assignChildren(transaction)
      isHere(transaction)
    },
    isHere,
    rejected: ({ hasWitness, txid, wtxid }, what) => {
      orphans.remove(wtxid)
      // With its witness it is another transaction, which may be valid.
      if (what === "witness stripped") return
      const filter = what === "reconsiderable" ? reconsiderable : rejects
      filter.add(wtxid)
      requests.forget(wtxid)
      if (what !== "inputs not standard" || !hasWitness) return
      // The spent outputs are at fault, so no witness helps.
      rejects.add(txid)
      requests.forget(txid)
    },
    hopeless: ({ txid, wtxid }) => {
      rejects.add(txid)
      rejects.add(wtxid)
      forget(txid, wtxid)
    },
    confirmed: (transactions) => {
      const { spent, txids, wtxids } = transactions
      const count = orphans.removeSpenders(spent)
      confirmed.add(transactions)
      for (let at = 0; at < txids.length; at += 32) forget(txids.subarray(at, at + 32), wtxids.subarray(at, at + 32))
      return count
    }
  }
}
