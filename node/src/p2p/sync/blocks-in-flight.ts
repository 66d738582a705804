import type { TreeNode } from "../../engine/header-tree/tree-node.ts"
import type { PeerSync } from "./peer-sync.ts"
import { SLOW_PEER_BLOCKS } from "./sync-limits.ts"
import type { SyncSettings, SyncState } from "./sync-state.ts"

/** Notes that the peer is asked for a block. Precondition: nobody else is. */
export const noteAsked = (sync: SyncState, from: PeerSync, node: TreeNode, now: number): void => {
  const asked = { node, peer: from, since: now }
  if (from.inFlight.size === 0) from.downloadingSince = now
  from.inFlight.set(node.index, asked)
  sync.inFlight.set(node.index, asked)
}

/** Nothing is awaited for this block any more; only from `by`, when given. Answers whether something was. */
export const forget = (sync: SyncState, node: TreeNode, now: number, by?: PeerSync): boolean => {
  const asked = sync.inFlight.get(node.index)
  if (asked === undefined || (by !== undefined && asked.peer !== by)) return false
  const { peer } = asked
  const oldest = peer.inFlight.keys().next().value
  if (oldest === node.index) peer.downloadingSince = Math.max(peer.downloadingSince, now)
  peer.inFlight.delete(node.index)
  peer.stallingSince = 0
  sync.inFlight.delete(node.index)
  return true
}

/** Nothing is awaited from this peer any more. */
export const forgetAll = (sync: SyncState, from: PeerSync): void => {
  for (const index of from.inFlight.keys()) sync.inFlight.delete(index)
  from.inFlight.clear()
  from.stallingSince = 0
}

/** How many blocks of a fast peer are on their way at a time: what it sends in this many milliseconds. */
const AHEAD_MILLISECONDS = 2_000

/** How many blocks a peer is asked for at a time before it has shown how fast it is. */
export const firstCapacity = ({ blocksPerPeer }: SyncSettings): number => Math.min(blocksPerPeer, SLOW_PEER_BLOCKS)

/**
 * A block came: a peer that sends many is asked for as many as keep it busy, up to what is set; a slow one does not get to
 * hold up a large part of the window.
 */
export const noteArrived = ({ settings }: SyncState, from: PeerSync, now: number): void => {
  from.arrived++
  const passed = now - from.measuredSince
  if (passed < 500) return
  const ahead = Math.ceil(from.arrived / passed * AHEAD_MILLISECONDS)
  from.capacity = Math.min(settings.blocksPerPeer, Math.max(SLOW_PEER_BLOCKS, ahead))
  from.interval = passed / from.arrived
  from.arrived = 0
  from.measuredSince = now
}
