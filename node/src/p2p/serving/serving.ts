import { bytesEqual } from "@lockstep/kernel/bytes"
import { decodeTransaction, encodeWithoutWitness } from "@lockstep/kernel/model"
import type { BloomFilter } from "@lockstep/protocol/bloom/bloom-filter.ts"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import {
  type InventoryEntry,
  InventoryType,
  isBlockType,
  isPackageType,
  isTransactionType
} from "@lockstep/protocol/wire/inventory.ts"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { CompactForms } from "../sync/compact-blocks/compact-forms.ts"
import { nodeClock } from "../peer/node-clock.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import { relaysPackages } from "../peer/negotiation.ts"
import { type PackageServing, serveAncestors, servePackage } from "../relay/packages/serve-packages.ts"
import type { Peer } from "../peer/peer.ts"
import type { PeerPart } from "../peer/peer-part.ts"
import { servicesFor } from "../peer/session/services-for.ts"
import { type ScannedTransaction, scanTransaction } from "../relay/scan-transaction.ts"
import { entryText } from "./entry-text.ts"
import { servePolicies, type ServePolicies } from "./deny-list.ts"
import { type BlockServing, isDenied, serveBlock } from "./serve-block.ts"
import { serveBlockTransactions } from "./serve-block-transactions.ts"
import { type FilterCounts, filterCounts } from "./filter-figures.ts"
import { filterServing, serveFilterCheckpoints, serveFilterHeaders, serveFilters } from "./serve-filters.ts"
import { serveHeaders, serveInventory } from "./serve-headers.ts"
import { SERVING_LIMITS } from "./serving-limits.ts"
import { type UploadTarget, uploadTarget } from "./upload-target.ts"

/** Options of serving, from other parts and the configuration. */
export interface ServingOptions {
  /** Cache of compact blocks. */
  readonly forms: CompactForms
  /** Called when headers up to this one were sent to a peer. */
  readonly headersSent: (peer: Peer, node: HeaderIndexNode) => void
  /**
   * Returns the bytes of a transaction of the mempool or the newest block, or `undefined` if the peer may not know of
   * it.
   */
  readonly transactionFor: (peer: Peer, entry: InventoryEntry) => Effect.Effect<Uint8Array | undefined>
  /** Reports whether a peer may know of the mempool transaction that an entry names. */
  readonly isAnnouncedTo: (peer: Peer, entry: InventoryEntry) => boolean
  /** Reports whether transactions are relayed to the peer. */
  readonly relaysTo: (peer: Peer) => boolean
  /** Returns the Bloom filter that a peer has set. */
  readonly filterOf: (peer: Peer) => BloomFilter | undefined
  /** Announces the whole mempool to a peer. */
  readonly announcePool: (peer: Peer) => void
  /** Maximum number of bytes sent in a day; 0 for no limit. */
  readonly uploadTarget: number
}

/** The part that serves blocks, headers, transactions and filters, with its settings. */
export interface Serving extends PeerPart {
  readonly policies: ServePolicies
  readonly upload: UploadTarget
  readonly filters: Pick<FilterCounts, "all" | "of">
}

interface PeerServing {
  /** Hash of the block after which the tip is announced to the peer, so that it requests the next blocks. */
  continueAfter: Uint8Array | undefined
  /** Continues serving; `undefined` unless it is paused. */
  resume: (() => void) | undefined
}

/** True if the peer may request the mempool anyway: by permission, or as its address is trusted. */
const mayHavePool = ({ isTrusted, permissions }: Peer): boolean =>
  permissions.has("mempool") || (isTrusted && !permissions.has("noban"))

const hasRoom = (peer: Peer): boolean => peer.isGone || peer.hasRoom()

const sendTransaction = (peer: Peer, bytes: Uint8Array, { type }: InventoryEntry): void => {
  const decoded = decodeTransaction(bytes)
  if (Result.isFailure(decoded)) return
  const plain = type === InventoryType.TX ? decodeTransaction(encodeWithoutWitness(decoded.success)) : decoded
  if (Result.isSuccess(plain)) peer.send({ command: "tx", transaction: plain.success })
}

/** Serves headers, blocks, transactions and filters to peers. */
export const serving = (context: P2pContext, options: ServingOptions): Serving => {
  const { chain, crypto, network } = context
  const policies = servePolicies()
  const upload = uploadTarget(
    options.uploadTarget,
    nodeClock(context),
    network.parameters.work.targetSpacing
  )
  const counts = filterCounts()
  const { filterOf, forms } = options
  const blocks: BlockServing = { context, policies, upload, filterOf, forms, counts }
  const peers = new Map<number, PeerServing>()

  const wakeUp = (peer: Peer): void => {
    const state = peers.get(peer.id)
    if (state?.resume === undefined || !hasRoom(peer)) return
    const { resume } = state
    state.resume = undefined
    resume()
  }

  /** Waits until the peer has read most of what was sent, and its share of work is refilled. */
  const room = (peer: Peer): Effect.Effect<void> =>
    Effect.suspend(() => {
      const state = peers.get(peer.id)
      if (state === undefined || hasRoom(peer)) return Effect.void
      return Effect.callback<void>((resume) => {
        state.resume = () => resume(Effect.void)
      })
    })

  const filters = filterServing(context, room, counts)

  const transactionFor = (peer: Peer, entry: InventoryEntry): Effect.Effect<ScannedTransaction | undefined> =>
    Effect.suspend(() => {
      if (policies.deniesTransaction(entry.hash)) return Effect.succeed(undefined)
      return Effect.map(options.transactionFor(peer, entry), (bytes) => {
        const found = bytes === undefined ? undefined : scanTransaction(bytes, crypto)
        return found === undefined || policies.deniesTransaction(found.txid) ? undefined : found
      })
    })

  /** Serves a transaction. Returns false if it cannot be served. */
  const serveTransaction = (peer: Peer, entry: InventoryEntry): Effect.Effect<boolean> =>
    Effect.map(transactionFor(peer, entry), (found) => {
      if (found !== undefined) sendTransaction(peer, found.bytes, entry)
      return found !== undefined
    })

  const packages: PackageServing = { context, isAnnouncedTo: options.isAnnouncedTo, transactionFor }

  const announceTip = (peer: Peer, hash: Uint8Array): void => {
    const state = peers.get(peer.id)
    if (state?.continueAfter === undefined || !bytesEqual(state.continueAfter, hash)) return
    state.continueAfter = undefined
    peer.send({ command: "inv", inventory: [{ type: InventoryType.BLOCK, hash: chain.tree.tip.hash }] })
  }

  /** Serves one requested entry, or adds it to `missing`. */
  const serveEntry = (peer: Peer, entry: InventoryEntry, missing: Array<InventoryEntry>): Effect.Effect<void> => {
    if (isTransactionType(entry.type)) {
      if (!options.relaysTo(peer)) return Effect.void
      return Effect.map(serveTransaction(peer, entry), (isThere) => {
        if (!isThere) missing.push(entry)
      })
    }
    if (isPackageType(entry.type)) {
      return relaysPackages(peer) ? serveAncestors(packages, peer, entry, missing) : Effect.void
    }
    if (!isBlockType(entry.type)) return Effect.void
    if (isDenied(blocks, entry)) {
      missing.push(entry)
      return Effect.void
    }
    return Effect.map(serveBlock(blocks, peer, entry), () => announceTip(peer, entry.hash))
  }

  /** Serves requests one after another. `notfound` is sent before other peers get their turn. */
  const serveAll = Effect.fnUntraced(function*(peer: Peer, inventory: ReadonlyArray<InventoryEntry>) {
    let missing: Array<InventoryEntry> = []
    const sendNotFound = (): void => {
      if (missing.length > 0) peer.send({ command: "notfound", inventory: missing })
      missing = []
    }
    for (const [i, entry] of inventory.entries()) {
      if (peer.isGone) return
      if (!hasRoom(peer)) {
        sendNotFound()
        yield* room(peer)
      }
      yield* serveEntry(peer, entry, missing)
      if (isBlockType(entry.type)) sendNotFound()
      if (i % SERVING_LIMITS.slice.most === SERVING_LIMITS.slice.most - 1) yield* Effect.yieldNow
    }
    sendNotFound()
  })

  return {
    name: "serving",
    policies,
    upload,
    filters: counts,
    handlers: {
      getheaders: (peer, message) =>
        Effect.sync(() => {
          const last = serveHeaders(context, peer, message)
          if (last !== undefined) options.headersSent(peer, last)
        }),
      getblocks: (peer, message) =>
        Effect.sync(() => {
          const { isCut, nodes } = serveInventory(context, peer, message)
          const state = peers.get(peer.id)
          if (isCut && state !== undefined) state.continueAfter = nodes.at(-1)!.hash
        }),
      getdata: (peer, { inventory }) => {
        const [first] = inventory
        context.notify.trace?.({
          _tag: "DataRequested",
          peer: peer.id,
          entries: inventory.length,
          first: first && entryText(first)
        })
        return serveAll(peer, inventory)
      },
      getblocktxn: (peer, message: MessageOf<"getblocktxn">) => serveBlockTransactions(blocks, peer, message),
      getpkgtxns: (peer, message) => Effect.andThen(room(peer), servePackage(packages, peer, message)),
      mempool: (peer) =>
        Effect.sync(() => {
          if (mayHavePool(peer)) return options.announcePool(peer)
          const objection = !offers(servicesFor(peer, context), ServiceFlag.BLOOM)
            ? "MempoolRequestWithoutBloom"
            : upload.reached()
            ? "MempoolRequestOverLimit"
            : undefined
          if (objection === undefined) options.announcePool(peer)
          else if (!peer.isTrusted) peer.disconnect({ _tag: objection })
        }),
      getcfilters: (peer, message) => serveFilters(filters, peer, message),
      getcfheaders: (peer, message) => serveFilterHeaders(filters, peer, message),
      getcfcheckpt: (peer, message) => serveFilterCheckpoints(filters, peer, message)
    },
    ready: (peer) => {
      peers.set(peer.id, { continueAfter: undefined, resume: undefined })
    },
    tick: wakeUp,
    drained: wakeUp,
    gone: (peer) => {
      peers.get(peer.id)?.resume?.()
      peers.delete(peer.id)
      counts.forget(peer)
    }
  }
}
