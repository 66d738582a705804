import type { UnixMilliseconds } from "../../quantities.ts"
import { type InventoryEntry, InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { ConfirmedTransactions, PooledTransaction } from "../chain/p2p-chain.ts"
import { schedulerClock } from "../basics/environment.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { StemRelay } from "./dandelion/stem-relay.ts"
import type { Peer } from "../peer/peer.ts"
import { hashKey } from "../basics/hash-key.ts"
import { nameFor, queueFor } from "./announcements.ts"
import { type AnnouncementTurns, announcementTurns } from "./announcement-turns.ts"
import { newestBlock } from "./newest-block.ts"
import type { PeerRelay } from "./peer-relay.ts"
import { rebroadcastTimer } from "./rebroadcast-timer.ts"

/** Announces the mempool to peers, and records what was announced to each. */
export interface TxAnnouncer extends Pick<AnnouncementTurns, "begin" | "tick"> {
  readonly added: (transaction: PooledTransaction, isNew: boolean) => void
  readonly confirmed: (transactions: ConfirmedTransactions) => void
  readonly tipChanged: (tip: HeaderIndexNode) => void
  /**
   * Returns the bytes of a transaction of the mempool or the newest block, or `undefined` if the peer may not know of
   * it.
   */
  readonly transactionFor: (peer: Peer, entry: InventoryEntry) => Effect.Effect<Uint8Array | undefined>
  /** True if a peer may know of the mempool transaction that an entry names. */
  readonly isAnnouncedTo: (peer: Peer, entry: InventoryEntry) => boolean
  /** Announces a mempool transaction to all peers that do not know it, even if it was announced before. */
  readonly announce: (txid: Uint8Array) => void
  /** Announces a transaction that left its stem. */
  readonly fluff: (transaction: PooledTransaction) => void
  /** Announces the whole mempool to a peer on its next turn. */
  readonly announcePool: (peer: Peer) => void
  /** Sends the announcements that are due. */
  readonly tickAll: (now: UnixMilliseconds) => void
}

/**
 * Makes the announcer, which ends with the scope. `broadcast` receives transactions that no peer announced, with a test
 * whether one has yet to be announced to a peer. `stems` is absent without Dandelion++.
 */
export const txAnnouncer = Effect.fnUntraced(function*(
  context: P2pContext,
  peers: ReadonlyMap<number, PeerRelay>,
  broadcast?: (txid: Uint8Array, isWaiting: (peer: Peer) => boolean) => void,
  stems?: Pick<StemRelay, "takes" | "wasStem">
): Effect.fn.Return<TxAnnouncer, never, Scope.Scope> {
  const { chain, environment, environment: { random } } = context
  const { mempool } = chain
  const turns = yield* announcementTurns(context, peers)
  const fork = yield* FiberSet.makeRuntime()
  const scheduled = schedulerClock(environment)
  const newest = newestBlock(chain)
  const isTimeToRebroadcast = rebroadcastTimer(random, scheduled())
  const announceToAll = (transaction: PooledTransaction): string => {
    const key = hashKey(transaction.wtxid)
    for (const to of peers.values()) if (to.receivesTransactions) queueFor(to, transaction, key)
    return key
  }

  const announce = (txid: Uint8Array): void => {
    const transaction = mempool.find("txid", txid)
    if (transaction !== undefined) announceToAll(transaction)
  }

  const rebroadcast = Effect.gen(function*() {
    for (const txid of yield* chain.unbroadcast) announce(txid)
  })

  const isAnnouncedTo = (peer: Peer, { hash, type }: InventoryEntry): boolean => {
    const found = mempool.find(type === InventoryType.WTX ? "wtxid" : "txid", hash)
    const to = peers.get(peer.id)
    if (found === undefined || to === undefined || found.sequence >= to.poolSequence) return false
    return stems?.wasStem(found.wtxid) !== true || !to.waiting.has(hashKey(found.wtxid))
  }

  /** True if no peer announced it. */
  const isOurs = (transaction: PooledTransaction): boolean =>
    [...peers.values()].every(({ known, peer }) => !known.has(nameFor(peer, transaction)))

  const announceNew = (transaction: PooledTransaction, isOwn: boolean): void => {
    const key = announceToAll(transaction)
    if (isOwn) broadcast?.(transaction.txid, ({ id }) => peers.get(id)?.waiting.has(key) ?? false)
  }

  return {
    added: (transaction, isNew) => {
      if (!isNew) return
      const isOwn = isOurs(transaction)
      if (stems?.takes(transaction, isOwn) !== true) announceNew(transaction, isOwn)
    },
    confirmed: newest.confirmed,
    tipChanged: newest.tipChanged,
    transactionFor: (peer, entry) =>
      Effect.gen(function*() {
        // A peer cannot request a transaction before its announcement, which would reveal when it reached this node.
        if (!isAnnouncedTo(peer, entry)) return yield* newest.find(entry)
        const { hash, type } = entry
        const found = yield* chain.mempoolTransaction(type === InventoryType.WTX ? "wtxid" : "txid", hash)
        if (found === undefined) return yield* newest.find(entry)
        fork(chain.fetched(found.txid))
        return found.bytes
      }),
    isAnnouncedTo,
    announce,
    fluff: (transaction) => announceNew(transaction, isOurs(transaction)),
    begin: turns.begin,
    tick: turns.tick,
    announcePool: (peer) => {
      const to = peers.get(peer.id)
      if (to?.mayReceiveTransactions === true) to.wantsPool = true
    },
    tickAll: (now) => {
      if (isTimeToRebroadcast(scheduled())) fork(rebroadcast)
      turns.tickAll(now)
    }
  }
})
