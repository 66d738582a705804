import type { MempoolView } from "../chain/p2p-chain.ts"
import { parentTxids, type ScannedTransaction } from "./scan-transaction.ts"
import type { SeenTransactions } from "./already-have-tx.ts"
import type { TxRequestTracker } from "./tx-request-tracker.ts"

export interface OrphanKeeperOptions {
  readonly mempool: Pick<MempoolView, "has">
  readonly settled: SeenTransactions
  readonly requests: TxRequestTracker
  /** Requests missing parents of an orphan from a peer. Answers whether it may be asked: it is here and not overloaded. */
  readonly wantParents: (peer: number, parents: ReadonlyArray<Uint8Array>, orphan: ScannedTransaction) => boolean
  /** Whether a peer may send all ancestors of an orphan at once. */
  readonly mayBringPackages: (peer: number) => boolean
  /** A peer that sends a child has its parents. */
  readonly hasParents: (peer: number, parents: ReadonlyArray<Uint8Array>) => void
}

/** Puts transactions whose parents are missing into the orphanage, and requests the parents: orphan resolution. */
export interface OrphanKeeper {
  /**
   * A peer sent a transaction whose inputs are missing; `missing`: txids of the unknown parents. Answers whether it may
   * be valid: false if a parent was rejected.
   */
  readonly keep: (transaction: ScannedTransaction, peer: number, missing: ReadonlyArray<Uint8Array>) => boolean
  /** A peer announced a transaction. Answers whether it is an orphan, whose parents this peer may have, too. */
  readonly announced: (wtxid: Uint8Array, peer: number) => boolean
}

export const orphanKeeper = (
  { hasParents, mayBringPackages, mempool, requests, settled, wantParents }: OrphanKeeperOptions
): OrphanKeeper => {
  const { alreadyHaveTx, orphans, reconsiderable, rejects } = settled

  /** One parent that pays too little may be paid for by the child; two may not, except in a package of all ancestors. */
  const areHopeless = (parents: ReadonlyArray<Uint8Array>, peers: ReadonlySet<number>): boolean =>
    parents.some((parent) => rejects.has(parent)) || (
      parents.filter((parent) => reconsiderable.has(parent) && !mempool.has("txid", parent)).length > 1 &&
      ![...peers].some(mayBringPackages)
    )

  const unsettled = (parents: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> =>
    parents.filter((hash) => !alreadyHaveTx({ hash, isWtxid: false }))

  const addFrom = (transaction: ScannedTransaction, peer: number, parents: ReadonlyArray<Uint8Array>): void => {
    if (orphans.isFrom(transaction.wtxid, peer) || !wantParents(peer, parents, transaction)) return
    orphans.add(transaction, peer)
  }

  return {
    keep: (transaction, peer, missing) => {
      const { txid, wtxid } = transaction
      const parents = parentTxids(transaction)
      const peers = new Set([peer, ...requests.announcers(txid), ...requests.announcers(wtxid)])
      if (areHopeless(parents, peers)) return false
      const wanted = unsettled(parents)
      for (const candidate of peers) addFrom(transaction, candidate, wanted)
      requests.forget(txid)
      requests.forget(wtxid)
      hasParents(peer, wanted)
      // A parent may have entered the mempool after the child was judged.
      if (missing.some((parent) => mempool.has("txid", parent))) orphans.assignToAny(wtxid)
      return true
    },
    announced: (wtxid, peer) => {
      const orphan = orphans.get(wtxid)
      if (orphan === undefined) return false
      const wanted = unsettled(parentTxids(orphan.transaction))
      // All of them have come or were rejected: it may be waiting to be tried.
      if (wanted.length > 0) addFrom(orphan.transaction, peer, wanted)
      return true
    }
  }
}
