import type { UnixMilliseconds } from "../../../quantities.ts"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import type { InFlight, PeerSync } from "../peer-sync.ts"
import { SLOW_PEER_BLOCKS } from "../sync-limits.ts"
import type { SyncSettings, SyncState } from "../sync-state.ts"

/** Returns the first request of a block, or `undefined` if it is not in flight. */
export const firstRequest = ({ inFlight }: SyncState, { index }: HeaderIndexNode): InFlight | undefined =>
  inFlight.get(index)?.[0]

/** Records that the block was requested from the peer. Precondition: it is not in flight from it already. */
export const noteAsked = (sync: SyncState, from: PeerSync, node: HeaderIndexNode, now: UnixMilliseconds): InFlight => {
  const asked: InFlight = { node, peer: from, since: now, compact: undefined }
  if (from.inFlight.size === 0) from.downloadingSince = now
  from.inFlight.set(node.index, asked)
  sync.inFlight.set(node.index, [...sync.inFlight.get(node.index) ?? [], asked])
  return asked
}

/** Ends a request and discards its compact block. */
const end = (sync: SyncState, { compact, node: { index }, peer }: InFlight, now: UnixMilliseconds): void => {
  const oldest = peer.inFlight.keys().next().value
  if (oldest === index) peer.downloadingSince = Math.max(peer.downloadingSince, now)
  peer.inFlight.delete(index)
  peer.stallingSince = 0
  const others = (sync.inFlight.get(index) ?? []).filter((each) => each.peer !== peer)
  if (others.length === 0) sync.inFlight.delete(index)
  else sync.inFlight.set(index, others)
  if (compact !== undefined && compact !== "over") {
    sync.compact.fork(sync.context.chain.dropCompactBlock(compact.id))
  }
}

/** Ends the requests of a block; only the one to `by`, if given. Returns true if any was pending. */
export const forget = (sync: SyncState, node: HeaderIndexNode, now: UnixMilliseconds, by?: PeerSync): boolean => {
  const all = sync.inFlight.get(node.index) ?? []
  const over = by === undefined ? all : all.filter(({ peer }) => peer === by)
  for (const asked of over) end(sync, asked, now)
  return over.length > 0
}

/** Ends all requests to this peer. */
export const forgetAll = (sync: SyncState, from: PeerSync): void => {
  const now = sync.context.environment.now()
  for (const asked of from.inFlight.values()) end(sync, asked, now)
}

/** Blocks in flight from a fast peer: as many as it sends in this time, in milliseconds. */
const AHEAD_MILLISECONDS = 2_000

/** Returns the number of blocks in flight from a peer whose speed is unknown. */
export const firstCapacity = ({ blocksPerPeer }: SyncSettings): number => Math.min(blocksPerPeer, SLOW_PEER_BLOCKS)

/**
 * Measures the arrival of a block. A fast peer is asked for enough blocks to stay busy, up to the setting. A slow one
 * cannot block a large part of the window.
 */
export const noteArrived = ({ settings }: SyncState, from: PeerSync, now: UnixMilliseconds): void => {
  from.arrived++
  const passed = now - from.measuredSince
  if (passed < 500) return
  const ahead = Math.ceil(from.arrived / passed * AHEAD_MILLISECONDS)
  from.capacity = Math.min(settings.blocksPerPeer, Math.max(SLOW_PEER_BLOCKS, ahead))
  from.interval = passed / from.arrived
  from.arrived = 0
  from.measuredSince = now
}
