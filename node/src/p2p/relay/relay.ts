import type { BloomFilter } from "@lockstep/protocol/bloom/bloom-filter.ts"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import {
  type InventoryEntry,
  InventoryType,
  isPackageType,
  isTransactionType
} from "@lockstep/protocol/wire/inventory.ts"
import { messageBytes } from "@lockstep/protocol/wire/message.ts"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { subscription } from "../../finalizers/finalizers.ts"
import { stemMessages } from "./dandelion/stem-messages.ts"
import { type DandelionSettings, type StemRelay, stemRelay } from "./dandelion/stem-relay.ts"
import { machineClock } from "../basics/environment.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import { relaysPackages } from "../peer/negotiation.ts"
import { type OrphanPackages, orphanPackages } from "./packages/orphan-packages.ts"
import type { RelayFigures } from "./relay-figures.ts"
import type { Peer } from "../peer/peer.ts"
import type { Dispatched, PeerPart } from "../peer/peer-part.ts"
import { servicesFor } from "../peer/session/services-for.ts"
import { rateLimitedLog } from "../peer/rate-limited-log.ts"
import { txRequestScheduler } from "./tx-request-scheduler.ts"
import { filterMessages } from "./filter-messages.ts"
import { keepFeeFilter, poolRateWatch, type WantedFeerate } from "./fee-filter.ts"
import type { Orphan } from "./orphanage/orphanage.ts"
import { type PeerRelay, peerRelay } from "./peer-relay.ts"
import { oversizeReason } from "./oversize.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import { scanTransaction } from "./scan-transaction.ts"
import { seenTransactions } from "./already-have-tx.ts"
import { type TxAnnouncer, txAnnouncer } from "./tx-announcer.ts"
import { transactionIntake } from "./transaction-intake.ts"
import { txRequestTracker } from "./tx-request-tracker.ts"

/** Options of the relay, from other parts and the configuration. */
export interface RelayOptions {
  /** Called when a peer announced blocks, in this order. */
  readonly blocksAnnounced: (peer: Peer, hashes: ReadonlyArray<Uint8Array>) => void
  /** Called when a peer does not have the requested blocks. */
  readonly blocksNotFound: (peer: Peer, hashes: ReadonlyArray<Uint8Array>) => void
  /** True if transactions of peers are wanted. */
  readonly wantsTransactions: boolean
  /** True if transactions above the standard weight are validated all the same; the default is false. */
  readonly takesNonStandard?: boolean | undefined
  readonly wantedFeerate: WantedFeerate
  /**
   * Called for a transaction that no peer announced. `isWaiting` reports whether it has yet to be announced to a peer.
   */
  readonly broadcast?: (txid: Uint8Array, isWaiting: (peer: Peer) => boolean) => void
  /** Called for each transaction that a peer sends, before its validation. */
  readonly received?: ((wtxid: Uint8Array, peer: Peer) => void) | undefined
  /** True if orphans are resolved by packages (BIP331); the default is false. */
  readonly relaysPackages?: boolean | undefined
  /** Absent if transactions are announced at once. */
  readonly dandelion?: DandelionSettings | undefined
}

/** The part that relays transactions, with its interface to other parts. */
export interface Relay extends Pick<TxAnnouncer, "announce" | "announcePool" | "isAnnouncedTo" | "transactionFor"> {
  readonly part: PeerPart
  readonly relaysTo: (peer: Peer) => boolean
  /** Returns the Bloom filter that a peer has set. */
  readonly filterOf: (peer: Peer) => BloomFilter | undefined
  readonly figures: (peer: Peer) => RelayFigures
  /** Returns the number of transactions in flight from a peer. */
  readonly inFlight: (peer: Peer) => number
  /** Returns the numbers of tracked announcements and of orphans. */
  readonly sizes: () => { readonly announcements: number; readonly orphans: number }
  /** Returns the orphanage, ordered by wtxid in wire order. */
  readonly orphans: () => ReadonlyArray<Orphan>
  /** `undefined` if Dandelion++ is off. */
  readonly dandelion: StemRelay["figures"] | undefined
}

/** Makes the transaction relay: announcements, requests, acceptance, and the orphanage. It ends with the scope. */
export const makeRelay = Effect.fnUntraced(function*(
  whole: P2pContext,
  options: RelayOptions
): Effect.fn.Return<Relay, never, Scope.Scope> {
  const { environment } = whole
  const { random } = environment
  const log = rateLimitedLog(whole.notify.log, machineClock(environment))
  const peers = new Map<number, PeerRelay>()
  const stems = options.dandelion && (yield* stemRelay({
    context: whole,
    settings: options.dandelion,
    peers,
    fluff: (transaction) => announcer.fluff(transaction)
  }))
  /** Has the mempool as peers may see it. */
  const context = stems === undefined ? whole : { ...whole, chain: { ...whole.chain, mempool: stems.mempool } }
  const { chain, crypto } = context
  const announcer: TxAnnouncer = yield* txAnnouncer(context, peers, options.broadcast, stems)
  const watchPoolRate = poolRateWatch(chain, yield* FiberSet.makeRuntime())
  const requests = txRequestTracker(random)
  const settled = seenTransactions(context)
  const orphansWait = yield* Latch.make(false)

  const { askAll, want, wantParents } = txRequestScheduler({ ...settled, peers, requests })

  const intake = transactionIntake({
    context,
    requests,
    settled,
    wantParents: (id, parents, orphan) => {
      const from = peers.get(id)
      const now = environment.now()
      return from !== undefined &&
        (packages?.want(from.peer, orphan.wtxid, now) === true || wantParents(from, parents, now))
    },
    mayBringPackages: (id) => {
      const from = peers.get(id)
      return packages !== undefined && from !== undefined && relaysPackages(from.peer)
    },
    hasParents: (id, parents) => {
      for (const txid of parents) peers.get(id)?.known.add(txid)
    },
    scope: yield* Effect.scope,
    orphansWait: () => orphansWait.openUnsafe(),
    log
  })

  const packages: OrphanPackages | undefined = options.relaysPackages === true
    ? orphanPackages({ context, peers, settled, wantParents, takePackage: intake.takePackage })
    : undefined

  yield* Effect.forkScoped(Effect.forever(Effect.gen(function*() {
    yield* orphansWait.await
    // Closed first, so that orphans added meanwhile open it again.
    orphansWait.closeUnsafe()
    while (yield* intake.tryOrphans) yield* Effect.yieldNow
  })))

  yield* subscription(() =>
    chain.listen({
      transactionAdded: announcer.added,
      confirmed: (transactions) => {
        announcer.confirmed(transactions)
        intake.confirmed(transactions)
      },
      tip: (tip, fork) => {
        announcer.tipChanged(tip)
        intake.tipChanged(fork !== tip.parent)
      },
      ...stems && { transactionRemoved: stems.removed }
    })
  )

  const heardOfTransaction = (from: PeerRelay, { hash, type }: InventoryEntry): void => {
    const isWtxid = type === InventoryType.WTX
    // A peer that announces transactions by another id than it negotiated would not answer a request.
    if ((from.peer.hello?.wtxidRelay === true) !== isWtxid) return
    from.known.add(hash)
    if (chain.state().initialBlockDownload || (isWtxid && intake.announced(hash, from.peer.id))) return
    want(from, { hash, isWtxid }, environment.now())
  }

  const heardInventory = (peer: Peer, { inventory }: MessageOf<"inv">): void => {
    const from = peers.get(peer.id)
    if (from === undefined) return
    const blocks: Array<Uint8Array> = []
    for (const entry of inventory) {
      if (entry.type === InventoryType.BLOCK) blocks.push(entry.hash)
      else if (isTransactionType(entry.type)) {
        if (!from.maySendTransactions) {
          peer.disconnect({ _tag: "TransactionAnnounced", hash: entry.hash.slice() })
          return
        }
        heardOfTransaction(from, entry)
      } else if (isPackageType(entry.type) && relaysPackages(peer)) {
        peer.disconnect({ _tag: "PackageAnnounced" })
        return
      }
    }
    if (blocks.length > 0) options.blocksAnnounced(peer, blocks)
  }

  /** Announces a mempool transaction again, for a peer with that permission. */
  const relayAgain = (peer: Peer, txid: Uint8Array, wtxid: Uint8Array): void => {
    const isInMempool = chain.mempool.has("txid", txid)
    context.notify.trace?.({ _tag: "TransactionForced", txid, wtxid, peer: peer.id, isInMempool })
    announcer.announce(txid)
  }

  const handleTransaction = (peer: Peer, payload: Uint8Array): Dispatched => {
    const from = peers.get(peer.id)
    if (from === undefined) return Result.succeed(Effect.void)
    if (!from.maySendTransactions) {
      return Result.succeed(Effect.sync(() => peer.disconnect({ _tag: "TransactionSent" })))
    }
    return Result.map(
      messageBytes("tx", payload),
      (bytes) => Effect.suspend(() => receiveTransaction(from, bytes))
    )
  }

  const receiveTransaction = (from: PeerRelay, bytes: Uint8Array): Effect.Effect<void> => {
    const { peer } = from
    const transaction = chain.state().initialBlockDownload ? undefined : scanTransaction(bytes, crypto)
    if (transaction === undefined) return Effect.void
    const { txid, wtxid } = transaction
    from.known.add(peer.hello?.wtxidRelay === true ? wtxid : txid)
    requests.answered(peer.id, txid)
    requests.answered(peer.id, wtxid)
    stems?.seen(wtxid)
    options.received?.(wtxid, peer)
    if (settled.alreadyHaveTx({ hash: wtxid, isWtxid: true })) {
      return Effect.sync(() => {
        if (peer.permissions.has("forcerelay")) relayAgain(peer, txid, wtxid)
      })
    }
    const oversize = oversizeReason(transaction, options.takesNonStandard === true)
    if (oversize !== undefined) return Effect.sync(() => intake.refuse(transaction, peer.id, oversize))
    // Only a package can add a transaction that pays too little alone, so it is not validated alone again.
    if (peer.permissions.has("forcerelay") && settled.reconsiderable.has(wtxid)) relayAgain(peer, txid, wtxid)
    return Effect.map(intake.take(transaction, peer.id), (isNew) => {
      if (isNew) peer.traffic.lastTransaction = environment.now()
    })
  }

  const heardNotFound = (peer: Peer, { inventory }: MessageOf<"notfound">): void => {
    const blocks: Array<Uint8Array> = []
    if (inventory.length > RELAY_LIMITS.notFound.most) return
    for (const { hash, type } of inventory) {
      if (isTransactionType(type)) requests.answered(peer.id, hash)
      else if (isPackageType(type)) packages?.notFound(peer, { hash, type })
      else if (type === InventoryType.BLOCK || type === InventoryType.WITNESS_BLOCK) blocks.push(hash)
    }
    if (blocks.length > 0) options.blocksNotFound(peer, blocks)
  }

  const heardFeeFilter = (peer: Peer, { feerate }: MessageOf<"feefilter">): void => {
    const from = peers.get(peer.id)
    if (from !== undefined && feerate >= 0n && feerate <= BigInt(RELAY_LIMITS.highestAmount.most)) {
      from.sendAbove = feerate
    }
  }

  const transactionsTo = ({ id }: Peer): PeerRelay | undefined => {
    const to = peers.get(id)
    return to?.mayReceiveTransactions === true ? to : undefined
  }

  const part: PeerPart = {
    name: "relay",
    handlers: {
      inv: (peer, message) => Effect.sync(() => heardInventory(peer, message)),
      notfound: (peer, message) => Effect.sync(() => heardNotFound(peer, message)),
      feefilter: (peer, message) => Effect.sync(() => heardFeeFilter(peer, message)),
      ...packages?.handlers
    },
    raw: {
      tx: handleTransaction,
      ...packages?.raw,
      ...filterMessages(context, transactionsTo),
      ...stems && stemMessages({
        context,
        stems,
        settled,
        intake,
        maySend: (peer) => peers.get(peer)?.maySendTransactions
      })
    },
    ready: (peer) => {
      const offersFilters = offers(servicesFor(peer, context), ServiceFlag.BLOOM)
      const to = peerRelay(peer, options.wantsTransactions, offersFilters, random)
      peers.set(peer.id, to)
      announcer.begin(to, environment.now())
    },
    tickAll: (now) => {
      stems?.tickAll()
      packages?.tickAll(now)
      announcer.tickAll(now)
      // The rate is not requested unless a peer gets it.
      if ([...peers.values()].some(({ getsFeeFilter }) => getsFeeFilter)) watchPoolRate(now)
    },
    tick: (peer, now) => {
      const to = peers.get(peer.id)
      if (to === undefined) return
      askAll(now)
      announcer.tick(to, now)
      keepFeeFilter(to, context, options.wantedFeerate, now)
    },
    gone: (peer) => {
      peers.delete(peer.id)
      requests.gone(peer.id)
      intake.gone(peer.id)
      stems?.gone(peer.id)
      packages?.gone(peer.id)
    }
  }

  return {
    part,
    relaysTo: (peer) => transactionsTo(peer) !== undefined,
    filterOf: (peer) => transactionsTo(peer)?.filter,
    transactionFor: announcer.transactionFor,
    isAnnouncedTo: announcer.isAnnouncedTo,
    announce: announcer.announce,
    announcePool: announcer.announcePool,
    figures: (peer) => {
      const of = peers.get(peer.id)
      return {
        isAnnouncedTo: of?.receivesTransactions ?? false,
        announcedSequence: of?.poolSequence ?? 0,
        waiting: of?.waiting.size ?? 0,
        leastFeerate: of?.sendAbove ?? 0n,
        isFiltered: of?.filter !== undefined
      }
    },
    inFlight: ({ id }) => requests.inFlight(id),
    sizes: () => ({ announcements: requests.size(), orphans: settled.orphans.sizes().orphans }),
    orphans: settled.orphans.all,
    dandelion: stems?.figures
  }
})
