import type { RelayRejectionClass } from "@lockstep/protocol/rejection/relay-class.ts"
import type { ConfirmedTransactions } from "../chain/p2p-chain.ts"
import type { ScannedTransaction } from "./scan-transaction.ts"
import type { SeenTransactions } from "./already-have-tx.ts"
import type { TxRequestTracker } from "./tx-request-tracker.ts"

/** What is remembered of transactions after they were judged. */
export interface OutcomeRecorder {
  /** It entered the mempool: its children are tried again. */
  readonly accepted: (transaction: ScannedTransaction) => void
  /** It is in the mempool, and was before. */
  readonly isHere: (transaction: ScannedTransaction) => void
  /** It was rejected, and not for missing inputs. */
  readonly rejected: (transaction: ScannedTransaction, what: RelayRejectionClass | "other witness") => void
  /** A parent was rejected, so that no witness makes it valid. */
  readonly hopeless: (transaction: ScannedTransaction) => void
  /** A block that is about to be the tip holds these. Answers how many orphans are gone for it. */
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
      // What it spends is at fault, so no witness helps.
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
