import { cursorOn, readCompactSize } from "@lockstep/kernel/bytes"
import { blockHash, type Header, headerOf } from "@lockstep/kernel/model"
import { blockWork } from "@lockstep/kernel/work"
import * as Effect from "effect/Effect"
import { HeaderStatus } from "../../../engine/header-index/header-status.ts"
import { has, nodeOf } from "../../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import { displayHash } from "../../../hex.ts"
import { noteAnnounced } from "../blocks/block-availability.ts"
import { forget, noteAsked } from "../blocks/blocks-in-flight.ts"
import { fetchesDirectly } from "../blocks/direct-fetch.ts"
import { refusesBlocks } from "../blocks/engine-refusals.ts"
import { receiveHeaders } from "../headers/headers-intake.ts"
import { maybePunishPeer } from "../misbehavior.ts"
import { noteNewHeader } from "../note-new-header.ts"
import type { InFlight, PeerSync } from "../peer-sync.ts"
import { requestWhole } from "../blocks/request-blocks.ts"
import { requestHeaders } from "../headers/request-headers.ts"
import { SLOW_PEER_BLOCKS } from "../sync-limits.ts"
import type { SyncState } from "../sync-state.ts"
import { workThreshold } from "../headers/work-threshold.ts"
import type { PartialBlock } from "./partial-block.ts"
import { complete, notifyRebuilt } from "./rebuild.ts"
import { completeInFlight, fallBack } from "./receive-block-transactions.ts"

/** Bytes before the short ids: the header and the nonce. */
const HEAD_BYTES = 88
/** Maximum number of peers with which a block is reconstructed at a time. */
export const MOST_PARALLEL = 3
/** Maximum height above the tip for a reconstruction. Beyond, the mempool is useless. */
const MOST_AHEAD = 2

const ignored = (
  { context: { notify } }: SyncState,
  { peer: { id: peer } }: PeerSync,
  why: "already syncing" | "low work" | "unsolicited"
): void => notify.trace?.({ _tag: "CompactBlockIgnored", peer, why })

/** A compact block of a known header, with the requests for the block. */
interface Offer {
  readonly from: PeerSync
  readonly node: HeaderIndexNode
  readonly payload: Uint8Array
  /** The request that this peer answers; `undefined` if it sends the block unrequested. */
  readonly own: InFlight | undefined
  /** Number of earlier requests to other peers. */
  readonly before: number
}

/** Begins a reconstruction. Returns `undefined` if it is impossible; the cause has then been handled. */
const begin = (
  sync: SyncState,
  { from, node, payload }: Offer,
  on: { readonly collision: () => void; readonly malformed: () => void }
): Effect.Effect<PartialBlock | undefined> =>
  Effect.suspend(() => {
    const { compact, context: { chain, environment, notify } } = sync
    const id = compact.next++
    const since = environment.now()
    const about = { block_hash: displayHash(node.hash), height: node.height }
    notify.event("BlockReconstructionStarted", about)
    return Effect.map(chain.beginCompactBlock(id, payload), (partial) => {
      if (partial?._tag !== "Begun") notifyRebuilt(sync, node, false, 0)
      switch (partial?._tag) {
        case "Begun":
          return { ...partial, id, node, since }
        case "Impossible":
          compact.figures.failed.impossible++
          from.compactBlocks.failed++
          forget(sync, node, environment.now(), from)
          from.peer.discourage({ _tag: "CompactBlockInvalid" })
          return undefined
        case "Collision":
          compact.figures.failed.collision++
          from.compactBlocks.failed++
          on.collision()
          return undefined
        default:
          on.malformed()
          return undefined
      }
    })
  })

/** True if the block was requested from an outbound peer. */
const isAskedOfOutbound = ({ inFlight }: SyncState, node: HeaderIndexNode): boolean =>
  inFlight.get(node.index)?.some(({ peer }) => !peer.peer.inbound) ?? false

/**
 * True if missing transactions are requested. That is so for the peer that was asked first, and for high-bandwidth
 * peers. The last slot is reserved for an outbound peer until one was asked.
 */
const mayRequest = (sync: SyncState, { before, from, node }: Offer): boolean =>
  before === 0 ||
  (from.isHighBandwidth &&
    (!from.peer.inbound || isAskedOfOutbound(sync, node) || before < MOST_PARALLEL - 1))

/** Reconstructs the block as one that is in flight from this peer. */
const rebuildInFlight = Effect.fnUntraced(function*(sync: SyncState, offer: Offer) {
  const { from, node, own } = offer
  const { chain, environment } = sync.context
  if (own?.compact !== undefined) return ignored(sync, from, "already syncing")
  const asked = own ?? noteAsked(sync, from, node, environment.now())
  const isStillAsked = (): boolean => from.inFlight.get(node.index) === asked
  const partial = yield* begin(sync, offer, {
    collision: () => {
      if (isStillAsked()) fallBack(sync, asked)
    },
    malformed: () => {
      if (own === undefined) forget(sync, node, environment.now(), from)
    }
  })
  if (partial === undefined) return
  // The whole block may have arrived from another peer meanwhile.
  if (!isStillAsked()) return yield* chain.dropCompactBlock(partial.id)
  asked.compact = partial
  if (partial.missing.length === 0) return yield* completeInFlight(sync, asked, partial, undefined)
  if (mayRequest(sync, offer)) {
    from.peer.send({ command: "getblocktxn", block: node.hash, indexes: partial.missing })
    return
  }
  forget(sync, node, environment.now(), from)
})

const doNothing = (): void => undefined

/** Tries a block for which enough other peers were asked. It is used only if nothing is missing. */
const rebuildAtOnce = Effect.fnUntraced(function*(sync: SyncState, offer: Offer) {
  const partial = yield* begin(sync, offer, { collision: doNothing, malformed: doNothing })
  if (partial === undefined) return
  if (partial.missing.length > 0) return yield* sync.context.chain.dropCompactBlock(partial.id)
  yield* complete(sync, offer.from, partial, undefined)
})

/** True if the block can be in flight from this peer. */
const hasSlot = ({ before, from, own }: Offer): boolean =>
  own !== undefined || (before < MOST_PARALLEL && from.inFlight.size < SLOW_PEER_BLOCKS)

/** True if a reconstruction is useless: a better block is the tip, or the block was pruned. */
const isUseless = ({ context: { chain: { tree } } }: SyncState, node: HeaderIndexNode): boolean =>
  node.chainWork <= tree.tip.chainWork || has(tree, node, HeaderStatus.PRUNED)

/** Processes a compact block whose header is in the index. */
const receiveKnown = (
  sync: SyncState,
  from: PeerSync,
  node: HeaderIndexNode,
  payload: Uint8Array
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { chain: { tree } } = sync.context
    if (has(tree, node, HeaderStatus.STORED) || sync.arriving.known.has(node.index)) return Effect.void
    const requests = sync.inFlight.get(node.index) ?? []
    const own = from.inFlight.get(node.index)
    const whole = Effect.sync(() => {
      if (own !== undefined) requestWhole(from, node)
    })
    if (own === undefined && !from.isHighBandwidth) {
      ignored(sync, from, "unsolicited")
      return Effect.void
    }
    if (isUseless(sync, node)) return whole
    if ((requests.length === 0 && !fetchesDirectly(sync)) || refusesBlocks(sync)) return Effect.void
    if (node.height > tree.tip.height + MOST_AHEAD) {
      return own === undefined ? receiveHeaders(sync, from, { command: "headers", headers: [node.header] }) : whole
    }
    const offer = { from, node, payload, own, before: own === undefined ? requests.length : requests.indexOf(own) }
    return hasSlot(offer) ? rebuildInFlight(sync, offer) : rebuildAtOnce(sync, offer)
  })

/** Adds the header to the index. Returns `undefined` if it is invalid or the engine refuses it. */
const indexed = Effect.fnUntraced(function*(sync: SyncState, from: PeerSync, header: Header, hash: Uint8Array) {
  const { chain, environment } = sync.context
  const isKnown = nodeOf(chain.tree, hash) !== undefined
  const { rejection } = yield* chain.acceptHeaders(header.bytes.slice())
  if (rejection !== undefined) {
    maybePunishPeer(from, rejection, "cmpctblock")
    return undefined
  }
  const node = nodeOf(chain.tree, hash)
  if (node === undefined) return undefined
  noteAnnounced(sync, from, hash)
  if (!isKnown) noteNewHeader(sync, from, node, "cmpctblock")
  if (!isKnown && node.chainWork > chain.tree.tip.chainWork) from.lastAnnouncement = environment.now()
  return node
})

/**
 * Processes `cmpctblock`, requested or from a high-bandwidth peer. Its header is checked before the rest is decoded, as
 * the rest costs much more (BIP152; Core: `ProcessMessage`). Precondition: `payload` is such a message.
 */
export const receiveCompactBlock = Effect.fnUntraced(function*(sync: SyncState, from: PeerSync, payload: Uint8Array) {
  const { compact, context: { chain, crypto, notify } } = sync
  if (!compact.isOn || !compact.preferences.servesCompact(from.peer) || chain.state().loadingBlocks) return
  const header = headerOf(payload.slice(0, 80))
  const parent = nodeOf(chain.tree, header.previous)
  if (parent === undefined) {
    if (!chain.state().initialBlockDownload) requestHeaders(sync, from, chain.tree.bestHeader)
    return
  }
  if (parent.chainWork + blockWork(header.bits) < workThreshold(sync)) {
    return ignored(sync, from, "low work")
  }
  const hash = blockHash(header, crypto)
  const node = yield* indexed(sync, from, header, hash)
  if (node === undefined || from.peer.isGone) return
  compact.figures.received++
  from.compactBlocks.received++
  const shortIds = readCompactSize(cursorOn(payload.subarray(HEAD_BYTES)))
  notify.event("CompactBlockReceived", {
    block_hash: displayHash(hash),
    height: node.height,
    peer: from.peer.name,
    short_ids: shortIds
  })
  yield* receiveKnown(sync, from, node, payload)
})
