import { type InventoryEntry, InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import type { PoolTransaction } from "../chain/p2p-chain.ts"
import type { P2pContext } from "../p2p-context.ts"
import type { Peer } from "../peer/peer.ts"
import { hashKey } from "../sync/hash-key.ts"
import { nameFor, queueFor, trickle } from "./announcements.ts"
import { newestBlock } from "./newest-block.ts"
import type { PeerRelay } from "./peer-relay.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import { unbroadcast } from "./unbroadcast.ts"

/** Tells peers of the pool, and knows what they may know of it. */
export interface Telling {
  readonly added: (transaction: PoolTransaction) => void
  readonly removed: (transaction: PoolTransaction, reason: string) => void
  readonly tipChanged: () => void
  /** The transaction of the pool, or of the newest block, that an entry names, if the peer may know that we have it. */
  readonly transactionFor: (peer: Peer, entry: InventoryEntry) => PoolTransaction | undefined
  /** A peer asked for a transaction, and it was sent. */
  readonly transactionSent: (transaction: PoolTransaction) => void
  /** Tells a peer of the whole pool. */
  readonly announcePool: (peer: Peer) => void
  readonly tickAll: (now: number) => void
  /** Tells a peer what is due. */
  readonly tick: (to: PeerRelay, now: number) => void
}

/** `broadcast` hears of transactions that no peer told of; `isWaiting`: whether a peer still has to be told. */
export const telling = (
  context: P2pContext,
  peers: ReadonlyMap<number, PeerRelay>,
  broadcast?: (txid: Uint8Array, isWaiting: (peer: Peer) => boolean) => void
): Telling => {
  const { chain, environment: { chance } } = context
  const newest = newestBlock()
  const own = unbroadcast(chance)
  /** When transactions entered the pool, counted; those that were there before have no number. */
  const arrivals = new Map<string, number>()
  let sequence = 1
  let nextInboundTrickle = 0

  const tellAll = (transaction: PoolTransaction): void => {
    for (const to of peers.values()) if (to.isTold) queueFor(to, transaction)
  }

  /** What it was not told of yet it must not find out by asking: that would tell when transactions reached us. */
  const toldOf = (peer: Peer, { hash, type }: InventoryEntry): PoolTransaction | undefined => {
    const found = (type === InventoryType.WTX ? chain.poolByWtxid : chain.poolByTxid).get(hashKey(hash))
    const to = peers.get(peer.id)
    if (found === undefined || to === undefined) return undefined
    return (arrivals.get(hashKey(found.txid)) ?? 0) < to.poolSequence ? found : undefined
  }

  return {
    added: (transaction) => {
      const key = hashKey(transaction.txid)
      arrivals.set(key, sequence++)
      const isOurs = [...peers.values()].every(({ known, peer }) => !known.has(nameFor(peer, transaction)))
      tellAll(transaction)
      if (!isOurs) return
      own.add(transaction)
      broadcast?.(transaction.txid, ({ id }) => peers.get(id)?.waiting.has(key) ?? false)
    },
    removed: (transaction, reason) => {
      arrivals.delete(hashKey(transaction.txid))
      own.remove(transaction)
      if (reason === "block") newest.took(transaction)
    },
    tipChanged: newest.tipChanged,
    transactionFor: (peer, entry) => toldOf(peer, entry) ?? newest.find(entry),
    transactionSent: own.remove,
    announcePool: (peer) => {
      const to = peers.get(peer.id)
      if (to === undefined || !to.isTold) return
      for (const transaction of chain.poolByTxid.values()) queueFor(to, transaction)
    },
    tickAll: (now) => {
      if (now >= nextInboundTrickle) nextInboundTrickle = now + chance.exponential(RELAY_LIMITS.inboundTrickle.most)
      own.tick(now, tellAll)
    },
    tick: (to, now) => {
      if (!to.isTold || (now < to.nextTrickle && !to.peer.isTrusted)) return
      // One time for all inbound peers: who has many connections to us learns no more than who has one.
      to.nextTrickle = to.peer.inbound ? nextInboundTrickle : now + chance.exponential(RELAY_LIMITS.outboundTrickle.most)
      trickle(to, context)
      to.poolSequence = sequence
    }
  }
}
