import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { type InventoryEntry, InventoryType, isTransactionType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import { hashKey } from "../sync/hash-key.ts"
import type { PoolTransaction } from "../chain/p2p-chain.ts"
import type { P2pContext } from "../p2p-context.ts"
import type { RelayFigures } from "../peer-figures.ts"
import type { Peer } from "../peer/peer.ts"
import type { PeerPart } from "../peer/peer-part.ts"
import { rateLimitedLog } from "../peer/rate-limited-log.ts"
import { nameFor, queueFor, trickle } from "./announcements.ts"
import { asking } from "./asking.ts"
import { blockWishes } from "./block-wishes.ts"
import { keepFeeFilter, type WantedFeerate } from "./fee-filter.ts"
import { newestBlock } from "./newest-block.ts"
import { type PeerRelay, peerRelay } from "./peer-relay.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import { scanTransaction } from "./scan-transaction.ts"
import { transactionIntake } from "./transaction-intake.ts"
import { transactionRequests } from "./transaction-requests.ts"
import { unbroadcast } from "./unbroadcast.ts"

/** What relaying needs of other parts and of the configuration. */
export interface RelayOptions {
  /** A peer named blocks, in this order. */
  readonly blocksAnnounced: (peer: Peer, hashes: ReadonlyArray<Uint8Array>) => void
  /** A peer has not the blocks it was asked for. */
  readonly blocksNotFound: (peer: Peer, hashes: ReadonlyArray<Uint8Array>) => void
  /** Whether transactions of others are wanted at all. */
  readonly wantsTransactions: boolean
  readonly wantedFeerate: WantedFeerate
  /** A transaction that no peer told of goes to peers; `isWaiting`: whether one still has to be told. */
  readonly broadcast?: (txid: Uint8Array, isWaiting: (peer: Peer) => boolean) => void
}

/** The part that relays transactions, and what other parts ask it. */
export interface Relay {
  readonly part: PeerPart
  readonly prefersHeaders: (peer: Peer) => boolean
  /** Whether it asked for new blocks as compact ones, without being asked. */
  readonly prefersCompact: (peer: Peer) => boolean
  readonly relaysTo: (peer: Peer) => boolean
  /** The transaction of the pool, or of the newest block, that an entry names, if the peer may know that we have it. */
  readonly transactionFor: (peer: Peer, entry: InventoryEntry) => PoolTransaction | undefined
  /** A peer asked for a transaction, and it was sent. */
  readonly transactionSent: (transaction: PoolTransaction) => void
  readonly announcePool: (peer: Peer) => void
  readonly figures: (peer: Peer) => RelayFigures
  /** How many transactions a peer is being asked for. */
  readonly inFlight: (peer: Peer) => number
  /** How much is remembered of what was announced and what waits for its parents. */
  readonly sizes: () => { readonly announcements: number; readonly orphans: number }
}

/** Transactions: told to peers, asked of them, judged, kept while their parents are missing. Ends with the scope. */
export const makeRelay = Effect.fnUntraced(function*(
  context: P2pContext,
  options: RelayOptions
): Effect.fn.Return<Relay, never, Scope.Scope> {
  const { chain, crypto, environment } = context
  const { chance } = environment
  const log = rateLimitedLog(context.tell.log, environment.now)
  const peers = new Map<number, PeerRelay>()
  const wishes = blockWishes()
  const newest = newestBlock()
  const own = unbroadcast(chance)
  const requests = transactionRequests(chance)
  const orphansWait = yield* Latch.make(false)
  /** When transactions entered the pool, counted; those that were there before have no number. */
  const arrivals = new Map<string, number>()
  let sequence = 1
  let nextInboundTrickle = 0

  const { askAll, want } = asking({ peers, requests, isSettled: (name) => intake.isSettled(name) })

  const intake = transactionIntake({
    context,
    requests,
    wantParent: (id, txid) => {
      const from = peers.get(id)
      if (from === undefined) return
      from.known.add(txid)
      want(from, { hash: txid, isWitnessId: false }, environment.now())
    },
    isHere: (id) => peers.has(id),
    orphansWait: () => orphansWait.openUnsafe(),
    log
  })

  yield* Effect.forkScoped(Effect.forever(Effect.gen(function*() {
    yield* orphansWait.await
    // Closed first: what comes while orphans are tried opens it again.
    orphansWait.closeUnsafe()
    while (yield* intake.tryOrphan) yield* Effect.yieldNow
  })))

  const tellAll = (transaction: PoolTransaction): void => {
    for (const to of peers.values()) if (to.isTold) queueFor(to, transaction)
  }

  const addToAll = (transaction: PoolTransaction): void => {
    const key = hashKey(transaction.txid)
    arrivals.set(key, sequence++)
    const isOurs = [...peers.values()].every(({ known, peer }) => !known.has(nameFor(peer, transaction)))
    tellAll(transaction)
    if (!isOurs) return
    own.add(transaction)
    options.broadcast?.(transaction.txid, ({ id }) => peers.get(id)?.waiting.has(key) ?? false)
  }

  const removed = (transaction: PoolTransaction, reason: string): void => {
    arrivals.delete(hashKey(transaction.txid))
    own.remove(transaction)
    if (reason !== "block") return
    intake.confirmed(transaction)
    newest.took(transaction)
  }

  yield* Effect.acquireRelease(
    Effect.sync(() => chain.listen({
      transactionAdded: addToAll,
      transactionRemoved: removed,
      confirmed: intake.blockConfirmed,
      tip: (tip, fork) => {
        newest.tipChanged()
        intake.tipChanged(fork !== tip.parent)
      }
    })),
    (stop) => Effect.sync(stop)
  )

  const heardOfTransaction = (from: PeerRelay, { hash, type }: InventoryEntry): void => {
    const isWitnessId = type === InventoryType.WTX
    // A peer that names transactions the other way than it said would be asked in vain.
    if ((from.peer.hello?.wtxidRelay === true) !== isWitnessId) return
    from.known.add(hash)
    if (chain.state().initialBlockDownload || (isWitnessId && intake.named(hash, from.peer.id))) return
    want(from, { hash, isWitnessId }, environment.now())
  }

  const heardInventory = (peer: Peer, { inventory }: MessageOf<"inv">): void => {
    const from = peers.get(peer.id)
    if (from === undefined) return
    const blocks: Array<Uint8Array> = []
    for (const entry of inventory) {
      if (entry.type === InventoryType.BLOCK) blocks.push(entry.hash)
      else if (isTransactionType(entry.type)) {
        if (!from.mayTell) {
          peer.disconnect("transaction inv sent in violation of protocol")
          return
        }
        heardOfTransaction(from, entry)
      }
    }
    if (blocks.length > 0) options.blocksAnnounced(peer, blocks)
  }

  const heardTransaction = (peer: Peer, payload: Uint8Array): Effect.Effect<void> => {
    const from = peers.get(peer.id)
    if (from === undefined) return Effect.void
    if (!from.mayTell) return Effect.sync(() => peer.disconnect("transaction sent in violation of protocol"))
    if (chain.state().initialBlockDownload) return Effect.void
    const transaction = scanTransaction(payload, crypto)
    if (transaction === undefined) return Effect.void
    const { txid, weight, wtxid } = transaction
    from.known.add(peer.hello?.wtxidRelay === true ? wtxid : txid)
    requests.answered(peer.id, txid)
    requests.answered(peer.id, wtxid)
    if (intake.isSettled({ hash: wtxid, isWitnessId: true })) return Effect.void
    if (weight > RELAY_LIMITS.weight.most) return Effect.sync(() => intake.refuse(wtxid))
    return Effect.map(intake.take(transaction, peer.id), (isNew) => {
      if (isNew) peer.traffic.lastTransaction = environment.now()
    })
  }

  const heardNotFound = (peer: Peer, { inventory }: MessageOf<"notfound">): void => {
    const blocks: Array<Uint8Array> = []
    for (const { hash, type } of inventory.slice(0, RELAY_LIMITS.announcements.most)) {
      if (isTransactionType(type)) requests.answered(peer.id, hash)
      else if (type === InventoryType.BLOCK || type === InventoryType.WITNESS_BLOCK) blocks.push(hash)
    }
    if (blocks.length > 0) options.blocksNotFound(peer, blocks)
  }

  const heardFeeFilter = (peer: Peer, { feerate }: MessageOf<"feefilter">): void => {
    const from = peers.get(peer.id)
    if (from !== undefined && feerate >= 0n && feerate <= BigInt(RELAY_LIMITS.highestAmount.most)) from.sendAbove = feerate
  }

  const trickleTo = (to: PeerRelay, now: number): void => {
    if (!to.isTold || (now < to.nextTrickle && !to.peer.isTrusted)) return
    // One time for all inbound peers: who has many connections to us learns no more than who has one.
    to.nextTrickle = to.peer.inbound ? nextInboundTrickle : now + chance.exponential(RELAY_LIMITS.outboundTrickle.most)
    trickle(to, context)
    to.poolSequence = sequence
  }

  const part: PeerPart = {
    name: "relay",
    handlers: {
      inv: (peer, message) => Effect.sync(() => heardInventory(peer, message)),
      notfound: (peer, message) => Effect.sync(() => heardNotFound(peer, message)),
      feefilter: (peer, message) => Effect.sync(() => heardFeeFilter(peer, message)),
      ...wishes.handlers
    },
    raw: { tx: heardTransaction },
    ready: (peer) => {
      peers.set(peer.id, peerRelay(peer, options.wantsTransactions, chance))
    },
    tickAll: (now) => {
      if (now >= nextInboundTrickle) nextInboundTrickle = now + chance.exponential(RELAY_LIMITS.inboundTrickle.most)
      askAll(now)
      own.tick(now, tellAll)
    },
    tick: (peer, now) => {
      const to = peers.get(peer.id)
      if (to === undefined) return
      trickleTo(to, now)
      keepFeeFilter(to, context, options.wantedFeerate, now)
    },
    gone: (peer) => {
      peers.delete(peer.id)
      wishes.gone(peer)
      requests.gone(peer.id)
      intake.gone(peer.id)
    }
  }

  /** What it was not told of yet it must not find out by asking: that would tell when transactions reached us. */
  const toldOf = (peer: Peer, { hash, type }: InventoryEntry): PoolTransaction | undefined => {
    const found = (type === InventoryType.WTX ? chain.poolByWtxid : chain.poolByTxid).get(hashKey(hash))
    const to = peers.get(peer.id)
    if (found === undefined || to === undefined) return undefined
    return (arrivals.get(hashKey(found.txid)) ?? 0) < to.poolSequence ? found : undefined
  }

  return {
    part,
    prefersCompact: wishes.prefersCompact,
    prefersHeaders: wishes.prefersHeaders,
    relaysTo: ({ id }) => peers.get(id)?.isTold ?? false,
    transactionFor: (peer, entry) => toldOf(peer, entry) ?? newest.find(entry),
    transactionSent: own.remove,
    announcePool: (peer) => {
      const to = peers.get(peer.id)
      if (to === undefined || !to.isTold) return
      for (const transaction of chain.poolByTxid.values()) {
        if (!to.known.has(nameFor(peer, transaction))) to.waiting.set(hashKey(transaction.txid), transaction)
      }
    },
    figures: (peer) => {
      const of = peers.get(peer.id)
      return {
        relaytxes: of?.isTold ?? false,
        last_inv_sequence: of?.poolSequence ?? 0,
        inv_to_send: of?.waiting.size ?? 0,
        minfeefilter: of?.sendAbove ?? 0n
      }
    },
    inFlight: ({ id }) => requests.inFlight(id),
    sizes: () => ({ announcements: requests.size(), orphans: intake.orphans() })
  }
})
