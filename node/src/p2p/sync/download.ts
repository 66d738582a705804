import type { TreeNode } from "../../engine/header-tree/tree-node.ts"
import { askForBlocks } from "./ask-for-blocks.ts"
import { firstCapacity, forgetAll } from "./blocks-in-flight.ts"
import { refusesBlocks } from "./engine-refusals.ts"
import { blocksWanted } from "./find-blocks.ts"
import { isNear, nearOnesDo } from "./near-peers.ts"
import type { PeerSync } from "./peer-sync.ts"
import { BLOCK_TIMEOUT_BASE, BLOCK_TIMEOUT_PER_PEER, LATE_BLOCKS, STALL_TIMEOUT_MOST } from "./sync-limits.ts"
import { downloadingCount, preferredCount, type SyncState } from "./sync-state.ts"
import { debtorToRelieve, isSilent } from "./take-over.ts"

const isOtherAsked = ({ peers }: SyncState, from: PeerSync): boolean => {
  for (const other of peers.values()) if (other !== from && other.inFlight.size > 0) return true
  return false
}

/**
 * Whether blocks are asked of this peer at all now: of those we chose; of others near the tip, when there is no such one, or
 * when nobody is asked for any, so that those we chose seem to have none; of those in the own network alone where these do.
 */
const isAsked = (sync: SyncState, from: PeerSync, now: number): boolean => {
  if (!from.servesBlocks || now < from.pausedUntil || refusesBlocks(sync, now)) return false
  if (!sync.context.chain.state().initialBlockDownload) return true
  if (sync.settings.fromOnePeer && isOtherAsked(sync, from)) return false
  if (from.isLimited || (!isNear(from) && nearOnesDo(sync, now))) return false
  return from.isPreferred || preferredCount(sync) === 0 || sync.inFlight.size === 0
}

/** Whether somebody else could send what this peer does not. */
const hasSubstitute = ({ peers }: SyncState, from: PeerSync, now: number): boolean => {
  for (const other of peers.values()) {
    if (other !== from && other.servesBlocks && other.best !== undefined && now >= other.pausedUntil) return true
  }
  return false
}

/** What it was asked for may be asked of others; it gets a rest, and is let go when that does not help. */
const reassign = (sync: SyncState, from: PeerSync, now: number): void => {
  from.lateBlocks++
  if (from.lateBlocks >= LATE_BLOCKS) return from.peer.disconnect("it does not send the blocks it was asked for")
  sync.context.tell.log("info", "blocks that a peer does not send are asked of others", { peer: from.peer.name })
  forgetAll(sync, from)
  from.capacity = firstCapacity(sync.settings)
  from.pausedUntil = now + sync.settings.downloadTimeout
}

/** Has a peer that has nothing to do fetch what a much slower one owes. Who says nothing at all is let go when that lasts. */
const takeOver = (sync: SyncState, from: PeerSync, owed: ReadonlyArray<TreeNode>, now: number): void => {
  const debtor = debtorToRelieve(sync, from, owed, now)
  if (debtor === undefined) return
  const since = isSilent(debtor, now) ? debtor.stallingSince || now : 0
  reassign(sync, debtor, now)
  // All of it: whoever is let go is forgotten only later.
  forgetAll(sync, debtor)
  debtor.lost = new Set(owed.map(({ index }) => index))
  debtor.stallingSince = since
  askForBlocks(sync, from, owed, now)
}

/** Asks the peer for the next blocks, as many as it is good for. */
export const requestBlocks = (sync: SyncState, from: PeerSync, now: number): void => {
  const room = from.capacity - from.inFlight.size
  // Some at a time: each request looks at the whole window.
  if (room < from.capacity / 4 || !isAsked(sync, from, now)) return
  const { nodes, owed, staller } = blocksWanted(sync, from, room)
  askForBlocks(sync, from, nodes, now)
  // Everything within the window is on its way or here, and this peer has nothing to do: somebody is too slow.
  if (from.inFlight.size === 0 && staller !== undefined && staller.stallingSince === 0) staller.stallingSince = now
  if (from.inFlight.size === 0) takeOver(sync, from, owed, now)
}

/** What it sent for a block that it was asked for is none: others are asked, and it is let go when it does that again. */
export const noteUseless = (sync: SyncState, from: PeerSync, now: number): void => reassign(sync, from, now)

/** Lets go of a peer that holds up the window, or does not send a block it was asked for. */
export const watchBlocks = (sync: SyncState, from: PeerSync, now: number): void => {
  const { network, tell } = sync.context
  // While we do not look at what it sends, or would not take it in, it owes us nothing.
  if (from.isHeldUp || refusesBlocks(sync, now)) {
    from.stallingSince = 0
    from.downloadingSince = Math.max(from.downloadingSince, now)
    return
  }
  if (from.stallingSince !== 0 && now > from.stallingSince + sync.stallTimeout) {
    // More patience with the next one: it may be our own connection that is slow.
    const patience = Math.min(sync.stallTimeout * 2, STALL_TIMEOUT_MOST)
    if (patience !== sync.stallTimeout) tell.log("debug", "more patience with slow peers", { milliseconds: patience })
    sync.stallTimeout = patience
    return from.peer.disconnect("it holds up the download of blocks")
  }
  if (from.inFlight.size === 0) return
  const waited = now - from.downloadingSince
  const isTooLate = waited > sync.settings.downloadTimeout
  if (isTooLate && hasSubstitute(sync, from, now)) return reassign(sync, from, now)
  const others = Math.max(0, downloadingCount(sync) - 1)
  const intervals = BLOCK_TIMEOUT_BASE + BLOCK_TIMEOUT_PER_PEER * others
  if (isTooLate && waited > network.parameters.work.targetSpacing * 1_000 * intervals) {
    from.peer.disconnect("it did not send a block in time")
  }
}
