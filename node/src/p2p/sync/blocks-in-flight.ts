import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { PeerSync } from "./peer-sync.ts"
import { SLOW_PEER_BLOCKS } from "./sync-limits.ts"
import type { SyncSettings, SyncState } from "./sync-state.ts"

/** Notes that the block was requested from the peer. Precondition: it is in flight from no other. */
export const noteAsked = (sync: SyncState, from: PeerSync, node: HeaderIndexNode, now: number): void => {
  const asked = { node, peer: from, since: now }
  if (from.inFlight.size === 0) from.downloadingSince = now
  from.inFlight.set(node.index, asked)
  sync.inFlight.set(node.index, asked)
}

/** The block is not in flight any more; only from `by`, when given. Answers whether it was. */
export const forget = (sync: SyncState, node: HeaderIndexNode, now: number, by?: PeerSync): boolean => {
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

/** Nothing is in flight from this peer any more. */
export const forgetAll = (sync: SyncState, from: PeerSync): void => {
  for (const index of from.inFlight.keys()) sync.inFlight.delete(index)
  from.inFlight.clear()
  from.stallingSince = 0
}

/** How many blocks are in flight from a fast peer: what it sends in this many milliseconds. */
const AHEAD_MILLISECONDS = 2_000

/** How many blocks are in flight from a peer before it has shown how fast it is. */
export const firstCapacity = ({ blocksPerPeer }: SyncSettings): number => Math.min(blocksPerPeer, SLOW_PEER_BLOCKS)

/**
 * A block came: a peer that sends many is asked for as many as keep it busy, up to what is set; a slow one does not get
 * to hold up a large part of the window.
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
