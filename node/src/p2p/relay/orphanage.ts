import { hashKey } from "../sync/hash-key.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import { type ScannedTransaction, spentOutpoints } from "./scan-transaction.ts"

/** An orphan: a transaction whose parents are missing. */
export interface Orphan {
  readonly transaction: ScannedTransaction
  /** Its announcers: the peers that sent or announced it. */
  readonly peers: Set<number>
  /** Txids of the parents that were not known when it was last judged. */
  readonly parents: ReadonlyArray<Uint8Array>
}

/**
 * The orphanage (Core: `TxOrphanage`) keeps orphans until their parents arrive, within the orphanage limits:
 * a peer that holds more than its share of announcements or weight loses its oldest orphans first.
 */
export interface Orphanage {
  readonly has: (wtxid: Uint8Array) => boolean
  readonly get: (wtxid: Uint8Array) => Orphan | undefined
  /** Adds an orphan to the orphanage, or one more announcer of it. */
  readonly add: (
    transaction: ScannedTransaction,
    parents: ReadonlyArray<Uint8Array>,
    peers: ReadonlyArray<number>
  ) => void
  /** Orphans that wait for this transaction, to be judged again. */
  readonly childrenOf: (txid: Uint8Array) => ReadonlyArray<Orphan>
  /** Orphans that spend any of these outpoints, 36 bytes each. */
  readonly spenders: (outpoints: Uint8Array) => ReadonlyArray<Orphan>
  readonly remove: (wtxid: Uint8Array) => void
  readonly gone: (peer: number) => void
  readonly size: () => number
}

/** Orphans of one peer, and the announcements that they count as. */
interface Share {
  /** Oldest first. */
  readonly orphans: Set<Orphan>
  score: number
}

const outpointsIn = (bytes: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: bytes.length / 36 }, (_, i) => bytes.subarray(i * 36, i * 36 + 36))

/**
 * How many announcements one of this orphan counts as (its latency score): every input costs work when the orphan is
 * tried.
 */
const scoreOf = ({ transaction }: Orphan): number => 1 + Math.floor(transaction.inputs / 10)

const tooMuch = (weight: number): boolean => weight > RELAY_LIMITS.orphanWeight.most

export const orphanage = (): Orphanage => {
  const orphans = new Map<string, Orphan>()
  const byParent = new Map<string, Set<Orphan>>()
  const byPeer = new Map<number, Share>()
  let total = 0

  /** Notes that a peer is no announcer of an orphan any more. */
  const release = (orphan: Orphan, peer: number): void => {
    const share = byPeer.get(peer)
    if (share === undefined || !share.orphans.delete(orphan)) return
    share.score -= scoreOf(orphan)
    total -= scoreOf(orphan)
    if (share.orphans.size === 0) byPeer.delete(peer)
  }

  const unlink = (orphan: Orphan): void => {
    for (const parent of orphan.parents) {
      const key = hashKey(parent)
      const waiting = byParent.get(key)
      waiting?.delete(orphan)
      if (waiting?.size === 0) byParent.delete(key)
    }
  }

  const erase = (orphan: Orphan): void => {
    orphans.delete(hashKey(orphan.transaction.wtxid))
    unlink(orphan)
    for (const peer of orphan.peers) release(orphan, peer)
    orphan.peers.clear()
  }

  const leave = (orphan: Orphan, peer: number): void => {
    if (!orphan.peers.delete(peer)) return
    release(orphan, peer)
    if (orphan.peers.size === 0) erase(orphan)
  }

  const weightOf = (peer: number): number => {
    let weight = 0
    for (const { transaction } of byPeer.get(peer)?.orphans ?? []) weight += transaction.weight
    return weight
  }

  /** The peer with the highest score, whose orphans are evicted first. */
  const greediest = (): number | undefined => {
    let most = -1
    let found: number | undefined
    for (const [peer, { score }] of byPeer) {
      if (score > most) {
        most = score
        found = peer
      }
    }
    return found
  }

  const forgetOldest = (peer: number): void => {
    const [oldest] = byPeer.get(peer)?.orphans ?? []
    if (oldest !== undefined) leave(oldest, peer)
  }

  const join = (orphan: Orphan, peer: number): void => {
    if (orphan.peers.has(peer)) return
    orphan.peers.add(peer)
    const own = byPeer.get(peer) ?? { orphans: new Set(), score: 0 }
    own.orphans.add(orphan)
    own.score += scoreOf(orphan)
    total += scoreOf(orphan)
    byPeer.set(peer, own)
    while (own.orphans.size > 1 && tooMuch(weightOf(peer))) forgetOldest(peer)
    // Ends when no peer is left, whatever the sum says.
    for (
      let most = greediest();
      total > RELAY_LIMITS.orphanAnnouncements.most && most !== undefined;
      most = greediest()
    ) forgetOldest(most)
  }

  const insert = (transaction: ScannedTransaction, parents: ReadonlyArray<Uint8Array>): Orphan => {
    const orphan: Orphan = { transaction, peers: new Set(), parents }
    orphans.set(hashKey(transaction.wtxid), orphan)
    for (const parent of parents) {
      const key = hashKey(parent)
      const waiting = byParent.get(key) ?? new Set()
      waiting.add(orphan)
      byParent.set(key, waiting)
    }
    return orphan
  }

  return {
    has: (wtxid) => orphans.has(hashKey(wtxid)),
    get: (wtxid) => orphans.get(hashKey(wtxid)),
    add: (transaction, parents, peers) => {
      if (transaction.weight > RELAY_LIMITS.weight.most || peers.length === 0) return
      const orphan = orphans.get(hashKey(transaction.wtxid)) ?? insert(transaction, parents)
      for (const peer of peers) join(orphan, peer)
    },
    childrenOf: (txid) => [...byParent.get(hashKey(txid)) ?? []],
    spenders: (outpoints) => {
      if (orphans.size === 0) return []
      const spent = new Set(outpointsIn(outpoints).map(hashKey))
      return [...orphans.values()].filter(({ transaction }) =>
        spentOutpoints(transaction).some((each) => spent.has(hashKey(each)))
      )
    },
    remove: (wtxid) => {
      const orphan = orphans.get(hashKey(wtxid))
      if (orphan !== undefined) erase(orphan)
    },
    gone: (peer) => {
      for (const orphan of byPeer.get(peer)?.orphans ?? []) leave(orphan, peer)
    },
    size: () => orphans.size
  }
}
