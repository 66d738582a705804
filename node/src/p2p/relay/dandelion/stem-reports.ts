import { displayHash } from "../../../hex.ts"
import type { PooledTransaction } from "../../chain/p2p-chain.ts"
import type { P2pNotifications } from "../../basics/p2p-notifications.ts"
import { hashKey } from "../../basics/hash-key.ts"

/** What became of the transactions of this node, and of stem transactions of peers. */
export interface DandelionFigures {
  /** This node's own that began a stem. */
  started: number
  /** Of peers, handed on. */
  advanced: number
  /** Announced to all peers, at once or after a stem. */
  fluffed: number
  /** Of these, those whose embargo was over. */
  expired: number
}

/** Counts what becomes of stems, and publishes it. */
export interface StemReports {
  readonly figures: Readonly<DandelionFigures>
  /** `peer`: the next one on the stem. */
  readonly began: (transaction: PooledTransaction, isOwn: boolean, peer: string) => void
  readonly advanced: (transaction: PooledTransaction, peer: string) => void
  /** It goes to all peers after its stem. */
  readonly fluffed: (transaction: PooledTransaction) => void
  /** The same without a stem from here. */
  readonly atOnce: (transaction: PooledTransaction, isOwn: boolean) => void
  readonly expired: (transaction: PooledTransaction) => void
  /** It is no transaction of the mempool any more: one of this `wtxid` as a key. */
  readonly gone: (key: string) => void
}

/** A stem, as far as this node knows it. */
interface Stem {
  /** The peer that it goes to. */
  readonly peer: string
  readonly hops: number
}

/** Hops to this node: none of its own, and one at least of a peer's. */
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
