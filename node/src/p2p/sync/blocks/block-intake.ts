import { blockHash } from "@lockstep/kernel/model"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type { BlockMessage } from "@lockstep/protocol/wire/messages/block.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { HeaderStatus } from "../../../engine/header-index/header-status.ts"
import { has, nodeOf } from "../../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import { ensuring } from "../../../finalizers/finalizers.ts"
import type { IntakeResult } from "../../chain/p2p-chain.ts"
import { chooseForHighBandwidth } from "../compact-blocks/choose-peers.ts"
import { addArriving, endArriving } from "./arriving-blocks.ts"
import { forget, noteArrived } from "./blocks-in-flight.ts"
import { noteUselessHeaders, requestBlocks } from "./download.ts"
import { noteRefused, noteTaken } from "./engine-refusals.ts"
import { hashKey } from "../../basics/hash-key.ts"
import type { PeerSync } from "../peer-sync.ts"
import { maybePunishPeer } from "../misbehavior.ts"
import { REMEMBERED_SENDERS, STALL_TIMEOUT, STALL_TIMEOUT_DECAY, WAITING_BLOCK_BYTES } from "../sync-limits.ts"
import type { BlockSender, SyncState } from "../sync-state.ts"

/**
 * Records the peer that sent a block first, so that a later copy from another peer does not hide it before the verdict.
 * Returns true if the sender is the first.
 */
export const rememberSender = ({ sources }: SyncState, key: string, sender: BlockSender): boolean => {
  if (sources.has(key)) return false
  sources.set(key, sender)
  if (sources.size > REMEMBERED_SENDERS) sources.delete(sources.keys().next().value!)
  return true
}

/** Circumstances of a block's arrival. */
interface Arrival {
  /** True if it was requested from this peer. */
  readonly isOurs: boolean
  /** True if it was reconstructed from a compact block. */
  readonly isCompact: boolean
  /** True if no other peer sent it before and awaits its verdict. */
  readonly isFirst: boolean
}

/** Circumstances of a whole block's arrival. */
interface WholeArrival extends Arrival {
  /** True if it was requested from any peer. */
  readonly requested: boolean
  /** Its header, if known on arrival. */
  readonly node: HeaderIndexNode | undefined
}

/** Applies the engine's answer to the state of the sync. */
export const applyIntakeResult = (
  sync: SyncState,
  from: PeerSync,
  { hash, isNew, isRefused, rejection }: IntakeResult,
  { isCompact, isFirst, isOurs }: Arrival
): void => {
  const { chain: { tree }, environment } = sync.context
  const now = environment.now()
  if (isNew) {
    noteTaken(sync)
    const node = nodeOf(tree, hash)
    // The block is stored, so other peers need not send it.
    if (node !== undefined) forget(sync, node, now)
    from.peer.traffic.lastBlock = now
    return
  }
  if (isFirst) sync.sources.delete(hashKey(hash))
  // The block is missing again, and is later requested from any peer that has it.
  if (isRefused === true) return noteRefused(sync)
  if (rejection !== undefined) return maybePunishPeer(from, rejection, isCompact ? "cmpctblock" : "block")
  const node = nodeOf(tree, hash)
  // The data behind the requested header is no valid block. A peer that sends such data could otherwise withhold the
  // true block forever.
  if (isOurs && node !== undefined && !has(tree, node, HeaderStatus.STORED)) noteUselessHeaders(sync, from, now)
}

const submit = (
  sync: SyncState,
  from: PeerSync,
  bytes: Uint8Array,
  key: string,
  arrival: WholeArrival
): Effect.Effect<void> => {
  // The bytes are transferred, and have no length afterwards.
  const size = bytes.length
  return sync.context.chain.acceptBlock(bytes, arrival.requested).pipe(
    ensuring(Effect.sync(() => {
      sync.waitingBytes -= size
      endArriving(sync.arriving, arrival.node, key)
    })),
    Effect.map((answer) => applyIntakeResult(sync, from, answer, arrival))
  )
}

/** Makes the next message of the peer wait for this, unless it is a block. */
export const holdUp = (sync: SyncState, from: PeerSync, submitting: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.suspend(() => {
    from.heldUpBy++
    from.isHeldUp = true
    return ensuring(
      from.peer.blocks.run(submitting),
      Effect.sync(() => {
        from.isHeldUp = --from.heldUpBy > 0
        from.downloadingSince = Math.max(from.downloadingSince, sync.context.environment.now())
      })
    )
  })

/**
 * Processes a block. It is requested from no other peer while the engine validates it. In the initial download, the
 * peer continues to send requested blocks unless too much is queued for the engine. Otherwise its next message waits,
 * so that answers to it reflect this block. Only a further requested block need not wait: the engine commits blocks
 * that are queued together in one batch.
 */
export const receiveBlock = (
  sync: SyncState,
  from: PeerSync,
  { bytes, header }: BlockMessage,
  scope: Scope.Scope
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { chain, crypto, environment } = sync.context
    const now = environment.now()
    const hash = blockHash(header, crypto)
    const key = hashKey(hash)
    const node = nodeOf(chain.tree, hash)
    const requested = node !== undefined && sync.inFlight.has(node.index)
    // Ends only the request to this peer: one that sends garbage must not end the requests to others (CVE-2024-52921).
    const isOurs = node !== undefined && forget(sync, node, now, from)
    if (isOurs) noteArrived(sync, from, now)
    // The block is late, but the peer is not disconnected for that.
    else if (node !== undefined && from.lost.has(node.index)) from.stallingSince = 0
    // Recorded before more blocks are requested, as this block is not missing now.
    if (!addArriving(sync.arriving, node, key)) return Effect.void
    sync.waitingBytes += bytes.length
    const isFirst = rememberSender(sync, key, { peer: from, isCompact: false })
    const submitting = submit(sync, from, bytes, key, { isOurs, isCompact: false, requested, isFirst, node })
    requestBlocks(sync, from, now)
    const isTooMuch = sync.waitingBytes > WAITING_BLOCK_BYTES
    const isDownload = chain.state().initialBlockDownload
    if (isDownload) from.peer.hasDownloads = true
    if (isTooMuch || (!isDownload && from.inFlight.size === 0)) return holdUp(sync, from, submitting)
    const going = isDownload ? from.peer.downloads.run(submitting) : holdUp(sync, from, submitting)
    return Effect.asVoid(Effect.forkIn(going, scope, { startImmediately: true }))
  })

/** Reduces the timeout for the next stalling peer, down to the default. */
const noteConnected = (sync: SyncState): void => {
  const { stallTimeout } = sync
  sync.stallTimeout = Math.max(STALL_TIMEOUT, stallTimeout * STALL_TIMEOUT_DECAY)
  if (sync.stallTimeout === stallTimeout) return
  const seconds = Math.floor(sync.stallTimeout / 1_000)
  sync.context.notify.trace?.({ _tag: "StallTimeoutChanged", seconds, isLonger: false })
}

/** True if the sender of a connected block may have been the fastest, as no other block is awaited. */
const mayChoose = ({ context: { chain }, inFlight }: SyncState, { index }: HeaderIndexNode): boolean =>
  !chain.state().initialBlockDownload && (inFlight.size === 0 || (inFlight.size === 1 && inFlight.has(index)))

/** Processes the verdict on a block, which was connected or rejected. */
export const blockChecked = (sync: SyncState, node: HeaderIndexNode, rejection: Rejection | undefined): void => {
  const key = hashKey(node.hash)
  const sender = sync.sources.get(key)
  const from = sender?.peer.peer.isGone === false ? sender.peer : undefined
  sync.sources.delete(key)
  if (rejection === undefined) {
    noteConnected(sync)
    if (from !== undefined && mayChoose(sync, node)) chooseForHighBandwidth(sync, from)
  } else if (from !== undefined) {
    const isCompact = sender?.isCompact === true
    maybePunishPeer(from, rejection, isCompact ? "cmpctblock" : "block")
  }
}
