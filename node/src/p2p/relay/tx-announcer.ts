import { type InventoryEntry, InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import type { MempoolTransaction } from "../chain/p2p-chain.ts"
import { machineClock } from "../environment.ts"
import type { P2pContext } from "../p2p-context.ts"
import type { Peer } from "../peer/peer.ts"
import { hashKey } from "../sync/hash-key.ts"
import { nameFor, queueFor, trickle } from "./announcements.ts"
import { newestBlock } from "./newest-block.ts"
import type { PeerRelay } from "./peer-relay.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import { unbroadcast } from "./unbroadcast.ts"

/** Announces the mempool to peers, and knows what was announced to each. */
export interface TxAnnouncer {
  readonly added: (transaction: MempoolTransaction) => void
  readonly removed: (transaction: MempoolTransaction, reason: string) => void
  readonly tipChanged: () => void
  /** The transaction of the mempool, or of the newest block, that an entry names, if the peer may know of it. */
  readonly transactionFor: (peer: Peer, entry: InventoryEntry) => MempoolTransaction | undefined
  /** A transaction that a peer requested was sent. */
  readonly transactionSent: (transaction: MempoolTransaction) => void
  /** Announces the whole mempool to a peer. */
  readonly announcePool: (peer: Peer) => void
  readonly tickAll: () => void
  /** Sends a peer the announcements that are due. */
  readonly tick: (to: PeerRelay, now: number) => void
}

/**
 * `broadcast` receives transactions that no peer announced; `isWaiting`: whether one still has to be announced to a
 * peer.
 */
export const txAnnouncer = (
  context: P2pContext,
  peers: ReadonlyMap<number, PeerRelay>,
  broadcast?: (txid: Uint8Array, isWaiting: (peer: Peer) => boolean) => void
): TxAnnouncer => {
  const { chain, environment, environment: { random } } = context
  const machine = machineClock(environment)
  const newest = newestBlock()
  const own = unbroadcast(random)
  /** When transactions entered the mempool, as sequence numbers; those that were there before have none. */
  const arrivals = new Map<string, number>()
  let sequence = 1
  let nextInboundTrickle = 0

  const announceToAll = (transaction: MempoolTransaction): void => {
    for (const to of peers.values()) if (to.receivesTransactions) queueFor(to, transaction)
  }

  /** A peer cannot request a transaction before its announcement: that would reveal when it reached this node. */
  const announcedTransaction = (peer: Peer, { hash, type }: InventoryEntry): MempoolTransaction | undefined => {
    const found = (type === InventoryType.WTX ? chain.poolByWtxid : chain.poolByTxid).get(hashKey(hash))
    const to = peers.get(peer.id)
    if (found === undefined || to === undefined) return undefined
    return (arrivals.get(hashKey(found.txid)) ?? 0) < to.poolSequence ? found : undefined
  }

  /** One time for all inbound peers, so that an attacker with many connections learns no more than with one. */
  const nextTrickle = (to: PeerRelay, now: number): number => {
    if (!to.peer.inbound) return now + random.exponential(RELAY_LIMITS.outboundTrickle.most)
    if (now >= nextInboundTrickle) nextInboundTrickle = now + random.exponential(RELAY_LIMITS.inboundTrickle.most)
    return nextInboundTrickle
  }

  return {
    added: (transaction) => {
      const key = hashKey(transaction.txid)
      arrivals.set(key, sequence++)
      const isOurs = [...peers.values()].every(({ known, peer }) => !known.has(nameFor(peer, transaction)))
      announceToAll(transaction)
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
    transactionFor: (peer, entry) => announcedTransaction(peer, entry) ?? newest.find(entry),
    transactionSent: own.remove,
    announcePool: (peer) => {
      const to = peers.get(peer.id)
      if (to === undefined || !to.receivesTransactions) return
      for (const transaction of chain.poolByTxid.values()) queueFor(to, transaction)
    },
    tickAll: () => own.tick(machine(), announceToAll),
    tick: (to, now) => {
      if (!to.receivesTransactions || (now < to.nextTrickle && !to.peer.isTrusted)) return
      to.nextTrickle = nextTrickle(to, now)
      trickle(to, context)
      to.poolSequence = sequence
    }
  }
}
