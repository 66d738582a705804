import { isActive } from "../../../engine/header-index/active-chain.ts"
import { HeaderStatus } from "../../../engine/header-index/header-status.ts"
import { has } from "../../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import { requestCompact, requestMissingBlocks } from "./request-blocks.ts"
import { refusesBlocks } from "./engine-refusals.ts"
import type { PeerSync } from "../peer-sync.ts"
import { DIRECT_FETCH_INTERVALS, SLOW_PEER_BLOCKS } from "../sync-limits.ts"
import { isRecent, type SyncState } from "../sync-state.ts"

/** True if the tip is recent enough to request blocks as soon as their headers arrive. */
export const fetchesDirectly = (sync: SyncState): boolean => {
  const { chain: { tree }, network } = sync.context
  return isRecent(sync, tree.tip, network.parameters.work.targetSpacing * DIRECT_FETCH_INTERVALS * 1_000)
}

/** True if the only missing block may be reconstructed from the mempool, as nothing else is in flight. */
const isForCompact = (
  { compact, context: { chain: { tree } }, inFlight }: SyncState,
  { peer }: PeerSync,
  nodes: ReadonlyArray<HeaderIndexNode>
): boolean =>
  nodes.length === 1 && inFlight.size === 0 && compact.isOn && compact.preferences.servesCompact(peer) &&
  has(tree, nodes[0]!.parent!, HeaderStatus.CONNECTED)

/**
 * Direct fetch near the tip: requests the blocks of headers that the peer just announced, all of them or none, oldest
 * first, without delay. Longer branches are left to the download. As in Bitcoin Core, the peer need not offer to serve
 * the chain: it has these blocks, as it just announced them.
 */
export const directFetch = (sync: SyncState, from: PeerSync, last: HeaderIndexNode): void => {
  const { chain: { tree }, environment, network, notify } = sync.context
  if (has(tree, last, HeaderStatus.INVALID) || last.chainWork < tree.tip.chainWork) return
  if (!fetchesDirectly(sync) || refusesBlocks(sync)) return
  const wanted: Array<HeaderIndexNode> = []
  let at = last
  while (!isActive(tree, at) && wanted.length <= SLOW_PEER_BLOCKS) {
    const isMissing = !has(tree, at, HeaderStatus.STORED) && !sync.inFlight.has(at.index) &&
      !sync.arriving.known.has(at.index)
    if (isMissing && (from.servesWitnesses || at.height < network.parameters.heights.segwit)) wanted.push(at)
    at = at.parent!
  }
  if (!isActive(tree, at)) {
    notify.trace?.({ _tag: "ReorganizationTooLarge", hash: last.hash, height: last.height })
    return
  }
  const room = Math.max(0, Math.min(from.capacity, SLOW_PEER_BLOCKS) - from.inFlight.size)
  const nodes = wanted.reverse().slice(0, room)
  if (isForCompact(sync, from, nodes)) return requestCompact(sync, from, nodes[0]!)
  requestMissingBlocks(sync, from, nodes, environment.now())
}
