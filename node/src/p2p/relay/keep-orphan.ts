import type { MempoolView } from "../chain/p2p-chain.ts"
import { parentTxids, type ScannedTransaction } from "./scan-transaction.ts"
import type { SeenTransactions } from "./already-have-tx.ts"
import type { TxRequestTracker } from "./tx-request-tracker.ts"

export interface OrphanKeeperOptions {
  readonly mempool: Pick<MempoolView, "has">
  readonly settled: SeenTransactions
  readonly requests: TxRequestTracker
  /**
   * Requests missing parents of an orphan from a peer. Returns true if the peer may be asked: it is connected and not
   * overloaded.
   */
  readonly wantParents: (peer: number, parents: ReadonlyArray<Uint8Array>, orphan: ScannedTransaction) => boolean
  /** Reports whether a peer can send all ancestors of an orphan at once. */
  readonly mayBringPackages: (peer: number) => boolean
  /** Records that a peer that sent a child has its parents. */
  readonly hasParents: (peer: number, parents: ReadonlyArray<Uint8Array>) => void
}

/** Puts transactions whose parents are missing into the orphanage, and requests the parents: orphan resolution. */
export interface OrphanKeeper {
  /**
   * Keeps a transaction whose inputs are missing. `missing` lists the txids of the unknown parents. Returns false if a
   * parent was rejected, so that it cannot be valid.
   */
  readonly keep: (transaction: ScannedTransaction, peer: number, missing: ReadonlyArray<Uint8Array>) => boolean
  /** Records an announcement of a transaction. Returns true if it is an orphan; this peer may have its parents too. */
  readonly announced: (wtxid: Uint8Array, peer: number) => boolean
}

export const orphanKeeper = (
  { hasParents, mayBringPackages, mempool, requests, settled, wantParents }: OrphanKeeperOptions
): OrphanKeeper => {
  const { alreadyHaveTx, orphans, reconsiderable, rejects } = settled

  /**
   * True if the orphan cannot be valid. A child may pay for one parent that pays too little, but for two only in a
   * package of all ancestors.
   */
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
      // A parent may have entered the mempool after the child was validated.
      if (missing.some((parent) => mempool.has("txid", parent))) orphans.assignToAny(wtxid)
      return true
    },
    announced: (wtxid, peer) => {
      const orphan = orphans.get(wtxid)
      if (orphan === undefined) return false
      const wanted = unsettled(parentTxids(orphan.transaction))
      // If all parents have arrived or were rejected, the orphan may be waiting for its next validation.
      if (wanted.length > 0) addFrom(orphan.transaction, peer, wanted)
      return true
    }
  }
}
