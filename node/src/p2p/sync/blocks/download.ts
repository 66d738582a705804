import type { UnixMilliseconds } from "../../../quantities.ts"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import { isForBlocks } from "../../peer/peer.ts"
import { requestMissingBlocks } from "./request-blocks.ts"
import { firstCapacity, forgetAll } from "./blocks-in-flight.ts"
import { refusesBlocks } from "./engine-refusals.ts"
import { blocksWanted } from "./find-blocks.ts"
import { historicalWanted } from "./historical-blocks.ts"
import { isLanPeer, lanPeersSuffice } from "./lan-peers.ts"
import type { PeerSync } from "../peer-sync.ts"
import { BLOCK_TIMEOUT_BASE, BLOCK_TIMEOUT_PER_PEER, LATE_BLOCKS, STALL_TIMEOUT_MOST } from "../sync-limits.ts"
import { downloadingCount, preferredCount, type SyncState } from "../sync-state.ts"
import { slowPeerToReplace, isSilent } from "./reassign-slow-peer.ts"

const isOtherAsked = ({ peers }: SyncState, from: PeerSync): boolean => {
  for (const other of peers.values()) if (other !== from && other.inFlight.size > 0) return true
  return false
}

/**
 * True if blocks are requested from this peer now. Outbound peers are preferred. Others are asked near the tip, without
 * a preferred peer, or when no block is in flight: the preferred peers then seem to have none. If LAN peers suffice,
 * only they are asked.
 */
const isAsked = (sync: SyncState, from: PeerSync, now: UnixMilliseconds): boolean => {
  if (!from.servesBlocks || now < from.pausedUntil || refusesBlocks(sync)) return false
  if (!sync.context.chain.state().initialBlockDownload) return true
  if (sync.settings.fromOnePeer && isOtherAsked(sync, from)) return false
  if (!isForBlocks(from.peer) || from.isLimited || (!isLanPeer(from) && lanPeersSuffice(sync, now))) return false
  return from.isPreferred || preferredCount(sync) === 0 || sync.inFlight.size === 0
}

/** True if another peer could send the blocks that this one does not. */
const hasSubstitute = ({ peers }: SyncState, from: PeerSync, now: UnixMilliseconds): boolean => {
  for (const other of peers.values()) {
    if (other !== from && other.servesBlocks && other.best !== undefined && now >= other.pausedUntil) return true
  }
  return false
}

/**
 * Makes the blocks in flight from this peer available to others. The peer is paused, and disconnected if it happens
 * again.
 */
const reassign = (sync: SyncState, from: PeerSync, now: UnixMilliseconds): void => {
  from.lateBlocks++
  if (from.lateBlocks >= LATE_BLOCKS) return from.peer.disconnect({ _tag: "BlocksNotSent" })
  sync.context.notify.log("info", "blocks that a peer does not send are asked of others", { peer: from.peer.name })
  forgetAll(sync, from)
  from.capacity = firstCapacity(sync.settings)
  from.pausedUntil = now + sync.settings.downloadTimeout
}

/** Requests the blocks of a much slower peer from an idle one. A peer that stays silent is finally disconnected. */
const takeOver = (
  sync: SyncState,
  from: PeerSync,
  owed: ReadonlyArray<HeaderIndexNode>,
  now: UnixMilliseconds
): void => {
  const debtor = slowPeerToReplace(sync, from, owed, now)
  if (debtor === undefined) return
  const since = isSilent(debtor, now) ? debtor.stallingSince || now : 0
  reassign(sync, debtor, now)
  // Includes everything, as the disconnected peer is removed only later.
  forgetAll(sync, debtor)
  debtor.lost = new Set(owed.map(({ index }) => index))
  debtor.stallingSince = since
  requestMissingBlocks(sync, from, owed, now)
}

/** Requests the next blocks from the peer, up to its capacity. */
export const requestBlocks = (sync: SyncState, from: PeerSync, now: UnixMilliseconds): void => {
  const room = from.capacity - from.inFlight.size
  // Requests are made in batches, as each walks over the whole window.
  if (room < from.capacity / 4 || !isAsked(sync, from, now)) return
  const { nodes, owed, staller } = blocksWanted(sync, from, room)
  requestMissingBlocks(sync, from, nodes, now)
  // Blocks towards the tip have priority.
  requestMissingBlocks(sync, from, historicalWanted(sync, from, room - nodes.length), now)
  // Everything in the block download window is in flight or stored, and this peer is idle, so another peer stalls the
  // download.
  if (from.inFlight.size === 0 && staller !== undefined && staller.stallingSince === 0) {
    staller.stallingSince = now
    sync.context.notify.trace?.({ _tag: "StallStarted", peer: staller.peer.id })
  }
  if (from.inFlight.size === 0 && sync.settings.isPatient !== true) takeOver(sync, from, owed, now)
}

/**
 * Processes invalid data for a requested block: other peers are asked, and the peer is disconnected if it happens
 * again.
 */
export const noteUselessHeaders = (sync: SyncState, from: PeerSync, now: UnixMilliseconds): void =>
  reassign(sync, from, now)

/** Block stalling: disconnects a peer that stalls the block download window, or does not send a requested block. */
export const watchBlocks = (sync: SyncState, from: PeerSync, now: UnixMilliseconds): void => {
  const { context: { network, notify }, settings } = sync
  // A peer is not late while this node does not process its messages, or would not accept the block.
  if (from.isHeldUp || refusesBlocks(sync)) {
    from.stallingSince = 0
    from.downloadingSince = Math.max(from.downloadingSince, now)
    return
  }
  if (from.stallingSince !== 0 && now > from.stallingSince + sync.stallTimeout) {
    // The next peer gets a longer timeout, as this node's own connection may be slow.
    const patience = Math.min(sync.stallTimeout * 2, STALL_TIMEOUT_MOST)
    if (patience !== sync.stallTimeout) {
      notify.log("debug", "more patience with slow peers", { milliseconds: patience })
      notify.trace?.({ _tag: "StallTimeoutChanged", seconds: patience / 1_000, isLonger: true })
    }
    sync.stallTimeout = patience
    return from.peer.disconnect({ _tag: "BlockStalling" })
  }
  if (from.inFlight.size === 0) return
  const waited = now - from.downloadingSince
  const isTooLate = waited > settings.downloadTimeout
  if (isTooLate && settings.isPatient !== true && hasSubstitute(sync, from, now)) return reassign(sync, from, now)
  const others = Math.max(0, downloadingCount(sync) - 1)
  const intervals = BLOCK_TIMEOUT_BASE + BLOCK_TIMEOUT_PER_PEER * others
  if (isTooLate && waited > network.parameters.work.targetSpacing * 1_000 * intervals) {
    from.peer.disconnect({ _tag: "BlockDownloadTimeout" })
  }
}
