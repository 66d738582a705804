import { hashKey } from "../sync/hash-key.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import type { ScannedTransaction } from "./scan-transaction.ts"

/** A transaction whose parents are not known yet. */
export interface Orphan {
  readonly transaction: ScannedTransaction
  /** Who sent it or named it. */
  readonly peers: Set<number>
  /** Txids of the parents that were not known when it was last judged. */
  readonly parents: ReadonlyArray<Uint8Array>
}

/** Keeps transactions until their parents come, so much of each peer and no more. */
export interface Orphanage {
  readonly has: (wtxid: Uint8Array) => boolean
  readonly get: (wtxid: Uint8Array) => Orphan | undefined
  /** Keeps an orphan, or remembers one more who has it. */
  readonly add: (transaction: ScannedTransaction, parents: ReadonlyArray<Uint8Array>, peers: ReadonlyArray<number>) => void
  /** What waits for this transaction: to be judged again. */
  readonly childrenOf: (txid: Uint8Array) => ReadonlyArray<Orphan>
  readonly remove: (wtxid: Uint8Array) => void
  readonly gone: (peer: number) => void
  readonly size: () => number
}

const tooMuch = (weight: number): boolean => weight > RELAY_LIMITS.orphanWeight.most

export const orphanage = (): Orphanage => {
  const orphans = new Map<string, Orphan>()
  const byParent = new Map<string, Set<Orphan>>()
  /** Of each peer, oldest first. */
  const byPeer = new Map<number, Set<Orphan>>()
  let announcements = 0

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
    for (const peer of orphan.peers) {
      byPeer.get(peer)?.delete(orphan)
      announcements--
    }
    orphan.peers.clear()
  }

  const leave = (orphan: Orphan, peer: number): void => {
    if (!orphan.peers.delete(peer)) return
    announcements--
    byPeer.get(peer)?.delete(orphan)
    if (orphan.peers.size === 0) erase(orphan)
  }

  const weightOf = (peer: number): number => {
    let weight = 0
    for (const { transaction } of byPeer.get(peer) ?? []) weight += transaction.weight
    return weight
  }

  /** Who has most here. */
  const greediest = (): number => {
    let most = -1
    let found = -1
    for (const [peer, { size }] of byPeer) {
      if (size > most) {
        most = size
        found = peer
      }
    }
    return found
  }

  const forgetOldest = (peer: number): void => {
    const [oldest] = byPeer.get(peer) ?? []
    if (oldest !== undefined) leave(oldest, peer)
  }

  const join = (orphan: Orphan, peer: number): void => {
    if (orphan.peers.has(peer)) return
    orphan.peers.add(peer)
    announcements++
    const own = byPeer.get(peer) ?? new Set()
    own.add(orphan)
    byPeer.set(peer, own)
    while (own.size > 1 && tooMuch(weightOf(peer))) forgetOldest(peer)
    while (announcements > RELAY_LIMITS.orphanAnnouncements.most) forgetOldest(greediest())
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
    remove: (wtxid) => {
      const orphan = orphans.get(hashKey(wtxid))
      if (orphan !== undefined) erase(orphan)
    },
    gone: (peer) => {
      for (const orphan of byPeer.get(peer) ?? []) leave(orphan, peer)
      byPeer.delete(peer)
    },
    size: () => orphans.size
  }
}
