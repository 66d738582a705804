import { isActive } from "../../engine/header-tree/active-chain.ts"
import { HeaderStatus } from "../../engine/header-tree/header-status.ts"
import { has } from "../../engine/header-tree/header-tree.ts"
import type { TreeNode } from "../../engine/header-tree/tree-node.ts"
import { askForBlocks } from "./ask-for-blocks.ts"
import { refusesBlocks } from "./engine-refusals.ts"
import type { PeerSync } from "./peer-sync.ts"
import { DIRECT_FETCH_INTERVALS, SLOW_PEER_BLOCKS } from "./sync-limits.ts"
import { isRecent, type SyncState } from "./sync-state.ts"

/** Whether our tip is so near to the present that blocks are asked for when their headers come. */
export const fetchesDirectly = (sync: SyncState): boolean => {
  const { chain: { tree }, network } = sync.context
  return isRecent(sync, tree.tip, network.parameters.work.targetSpacing * DIRECT_FETCH_INTERVALS * 1_000)
}

/**
 * Near the tip: asks the peer for the blocks of headers it just showed, all of them or none, oldest first, so that no time is
 * lost. What is longer comes with the download.
 */
export const fetchDirectly = (sync: SyncState, from: PeerSync, last: TreeNode): void => {
  const { chain: { tree }, environment, network } = sync.context
  if (!from.servesBlocks || has(tree, last, HeaderStatus.INVALID) || last.chainWork < tree.tip.chainWork) return
  if (!fetchesDirectly(sync) || refusesBlocks(sync, environment.now())) return
  const wanted: Array<TreeNode> = []
  let at = last
  while (!isActive(tree, at) && wanted.length <= SLOW_PEER_BLOCKS) {
    const isMissing = !has(tree, at, HeaderStatus.STORED) && !sync.inFlight.has(at.index) && !sync.arriving.known.has(at.index)
    if (isMissing && (from.servesWitnesses || at.height < network.parameters.heights.segwit)) wanted.push(at)
    at = at.parent!
  }
  if (!isActive(tree, at)) return
  const room = Math.max(0, Math.min(from.capacity, SLOW_PEER_BLOCKS) - from.inFlight.size)
  askForBlocks(sync, from, wanted.reverse().slice(0, room), environment.now())
}
