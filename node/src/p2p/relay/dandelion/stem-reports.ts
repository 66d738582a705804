import { displayHash } from "../../../hex.ts"
import type { PooledTransaction } from "../../chain/p2p-chain.ts"
import type { P2pNotifications } from "../../basics/p2p-notifications.ts"
import { hashKey } from "../../basics/hash-key.ts"

/** Counts of this node's own transactions and of stem transactions of peers. */
export interface DandelionFigures {
  /** Own transactions that began a stem. */
  started: number
  /** Transactions of peers that were relayed along the stem. */
  advanced: number
  /** Transactions announced to all peers, at once or after a stem. */
  fluffed: number
  /** Fluffed transactions whose embargo was over. */
  expired: number
}

/** Counts and publishes the progress of stems. */
export interface StemReports {
  readonly figures: Readonly<DandelionFigures>
  /** A stem began here; `peer` is the next node on it. */
  readonly began: (transaction: PooledTransaction, isOwn: boolean, peer: string) => void
  readonly advanced: (transaction: PooledTransaction, peer: string) => void
  /** A transaction is announced to all peers after its stem. */
  readonly fluffed: (transaction: PooledTransaction) => void
  /** A transaction is announced to all peers without a stem from here. */
  readonly atOnce: (transaction: PooledTransaction, isOwn: boolean) => void
  readonly expired: (transaction: PooledTransaction) => void
  /** A transaction left the mempool. `key` is the key of its wtxid. */
  readonly gone: (key: string) => void
}

/** The part of a stem that this node knows. */
interface Stem {
  /** The peer that the transaction goes to. */
  readonly peer: string
  readonly hops: number
}

/** Returns the number of hops to this node: 0 for an own transaction, at least 1 for a peer's. */
const hopsHere = (isOwn: boolean): number => isOwn ? 0 : 1

export const stemReports = ({ event }: Pick<P2pNotifications, "event">): StemReports => {
  const figures = { started: 0, advanced: 0, fluffed: 0, expired: 0 }
  const stems = new Map<string, Stem>()
  const stemOf = ({ wtxid }: PooledTransaction): Stem => stems.get(hashKey(wtxid)) ?? { peer: "", hops: 0 }
  const fluffed = ({ txid }: PooledTransaction, hops: number): void => {
    figures.fluffed++
    event("DandelionFluffed", { txid: displayHash(txid), hops })
  }
  return {
    figures,
    began: ({ txid, wtxid }, isOwn, peer) => {
      stems.set(hashKey(wtxid), { peer, hops: hopsHere(isOwn) + 1 })
      if (isOwn) {
        figures.started++
        event("DandelionStemStarted", { txid: displayHash(txid), peer })
      } else figures.advanced++
    },
    advanced: (transaction, peer) => {
      const { hops } = stemOf(transaction)
      event("DandelionStemAdvanced", { txid: displayHash(transaction.txid), peer, hops })
    },
    fluffed: (transaction) => {
      fluffed(transaction, stemOf(transaction).hops)
      stems.delete(hashKey(transaction.wtxid))
    },
    atOnce: (transaction, isOwn) => fluffed(transaction, hopsHere(isOwn)),
    expired: (transaction) => {
      figures.expired++
      event("DandelionStemPathExpired", { txid: displayHash(transaction.txid), peer: stemOf(transaction).peer })
    },
    gone: (key) => void stems.delete(key)
  }
}
