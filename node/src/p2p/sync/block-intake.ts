import { blockHash } from "@lockstep/kernel/model/identity.ts"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type { BlockMessage } from "@lockstep/protocol/wire/messages/block.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { HeaderStatus } from "../../engine/header-tree/header-status.ts"
import { has, nodeOf } from "../../engine/header-tree/header-tree.ts"
import type { TreeNode } from "../../engine/header-tree/tree-node.ts"
import type { TakenBlock } from "../chain/p2p-chain.ts"
import { addArriving, endArriving } from "./arriving-blocks.ts"
import { forget, noteArrived } from "./blocks-in-flight.ts"
import { noteUseless, requestBlocks } from "./download.ts"
import { noteRefused, noteTaken } from "./engine-refusals.ts"
import { hashKey } from "./hash-key.ts"
import type { PeerSync } from "./peer-sync.ts"
import { punish } from "./punish.ts"
import { REMEMBERED_SENDERS, STALL_TIMEOUT, STALL_TIMEOUT_DECAY, WAITING_BLOCK_BYTES } from "./sync-limits.ts"
import type { SyncState } from "./sync-state.ts"

/**
 * Remembers who was the first to send a block, so that nobody gets away by having it sent again before it is judged. Answers
 * whether that is this peer, now.
 */
const rememberSender = ({ sources }: SyncState, key: string, from: PeerSync): boolean => {
  if (sources.has(key)) return false
  sources.set(key, from)
  if (sources.size > REMEMBERED_SENDERS) sources.delete(sources.keys().next().value!)
  return true
}

/** Who sent a block need not be told of it. Whether it has the chain that the block is of is not known by that. */
const noteSender = ({ context: { chain } }: SyncState, from: PeerSync, hash: Uint8Array): void => {
  const node = nodeOf(chain.tree, hash)
  if (node !== undefined && node.chainWork > (from.bestSent?.chainWork ?? 0n)) from.bestSent = node
}

/** How a block came. */
interface Arrival {
  /** It was asked of this peer. */
  readonly isOurs: boolean
  /** Somebody was asked for it. */
  readonly requested: boolean
  /** Nobody else sent it before who is not judged yet. */
  readonly isFirst: boolean
  /** Its header, if that was there. */
  readonly node: TreeNode | undefined
}

/** What the engine's answer means. */
const takeAnswer = (sync: SyncState, from: PeerSync, { hash, isNew, isRefused, rejection }: TakenBlock, { isFirst, isOurs }: Arrival): void => {
  const { chain: { tree }, environment } = sync.context
  const now = environment.now()
  if (isNew) {
    noteTaken(sync)
    noteSender(sync, from, hash)
    const node = nodeOf(tree, hash)
    // It is here and whole: whoever else was asked for it need not send it any more.
    if (node !== undefined) forget(sync, node, now)
    from.peer.traffic.lastBlock = now
    return
  }
  if (isFirst) sync.sources.delete(hashKey(hash))
  // Missing again, and asked for again later, of whoever has it.
  if (isRefused === true) return noteRefused(sync, now)
  if (rejection !== undefined) return punish(from, rejection)
  const node = nodeOf(tree, hash)
  // No block at all behind the header that was asked for: who sends such things could keep the true one away for ever.
  if (isOurs && node !== undefined && !has(tree, node, HeaderStatus.STORED)) noteUseless(sync, from, now)
}

const give = (sync: SyncState, from: PeerSync, bytes: Uint8Array, key: string, arrival: Arrival): Effect.Effect<void> => {
  // The bytes are handed over, so their number is gone afterwards.
  const size = bytes.length
  return sync.context.chain.acceptBlock(bytes, arrival.requested).pipe(
    Effect.ensuring(Effect.sync(() => {
      sync.waitingBytes -= size
      endArriving(sync.arriving, arrival.node, key)
    })),
    Effect.map((answer) => takeAnswer(sync, from, answer, arrival))
  )
}

/** Lets the next message of the peer wait for this. */
const holdUp = (sync: SyncState, from: PeerSync, giving: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.suspend(() => {
    from.isHeldUp = true
    return Effect.ensuring(giving, Effect.sync(() => {
      from.isHeldUp = false
      from.downloadingSince = Math.max(from.downloadingSince, sync.context.environment.now())
    }))
  })

/**
 * A block. It is asked of nobody else while the engine looks at it. In the initial download the peer goes on sending unless
 * much waits for the engine; else its next message waits, so that what answers that is said of the chain with this block.
 */
export const takeBlock = (
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
    // Only what this peer was asked for: one that sends rubbish must not end the waiting for others (CVE-2024-52921).
    const isOurs = node !== undefined && forget(sync, node, now, from)
    if (isOurs) noteArrived(sync, from, now)
    // Late, but it comes: nobody is let go for that.
    else if (node !== undefined && from.lost.has(node.index)) from.stallingSince = 0
    // Before anything else is asked for: this block is not missing any more.
    if (!addArriving(sync.arriving, node, key)) return Effect.void
    sync.waitingBytes += bytes.length
    const isFirst = rememberSender(sync, key, from)
    const giving = give(sync, from, bytes, key, { isOurs, requested, isFirst, node })
    requestBlocks(sync, from, now)
    return sync.waitingBytes > WAITING_BLOCK_BYTES || !chain.state().initialBlockDownload
      ? holdUp(sync, from, giving)
      : Effect.asVoid(Effect.forkIn(giving, scope, { startImmediately: true }))
  })

/** A block was connected, or could not be. */
export const takeVerdict = (sync: SyncState, node: TreeNode, rejection: Rejection | undefined): void => {
  const key = hashKey(node.hash)
  const from = sync.sources.get(key)
  sync.sources.delete(key)
  if (rejection === undefined) {
    sync.stallTimeout = Math.max(STALL_TIMEOUT, sync.stallTimeout * STALL_TIMEOUT_DECAY)
  } else if (from !== undefined && !from.peer.isGone) {
    punish(from, rejection)
  }
}
