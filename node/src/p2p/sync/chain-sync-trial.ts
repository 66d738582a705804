import type { TreeNode } from "../../engine/header-tree/tree-node.ts"
import { askForHeaders } from "./ask-for-headers.ts"
import type { PeerSync } from "./peer-sync.ts"
import { CHAIN_SYNC_RESPONSE, CHAIN_SYNC_TIMEOUT, PROTECTED_PEERS } from "./sync-limits.ts"
import type { SyncState } from "./sync-state.ts"

const isOutbound = ({ peer: { kind } }: PeerSync): boolean => kind === "outbound-full-relay" || kind === "block-relay-only"

const protectedCount = ({ peers }: SyncState): number => {
  let count = 0
  for (const { trial } of peers.values()) if (trial.isProtected) count++
  return count
}

/**
 * After headers: an outbound peer that has shown all it has and does not reach the work the network is known to have is of
 * no use while we download; one with as good a chain as ours is among the few that stay whatever comes.
 */
export const noteChainOf = (sync: SyncState, from: PeerSync, hasMore: boolean): void => {
  const { chain: { state, tree }, network } = sync.context
  const { best, peer, trial } = from
  if (!isOutbound(from)) return
  if (state().initialBlockDownload && !hasMore && best !== undefined && best.chainWork < network.minimumChainWork) {
    return peer.disconnect("its best chain has too little work")
  }
  if (peer.kind === "outbound-full-relay" && best !== undefined && best.chainWork >= tree.tip.chainWork && !trial.isProtected) {
    trial.isProtected = protectedCount(sync) < PROTECTED_PEERS
  }
}

const begin = (from: PeerSync, tip: TreeNode, now: number): void => {
  from.trial.timeout = now + CHAIN_SYNC_TIMEOUT
  from.trial.goal = tip
  from.trial.askedForHeaders = false
}

/** Gives an outbound peer that is behind us a time to catch up, asks it once more, and lets it go: it may be stuck, or lie. */
export const tryChainOf = (sync: SyncState, from: PeerSync, now: number): void => {
  const { tip } = sync.context.chain.tree
  const { best, peer, trial } = from
  if (trial.isProtected || !isOutbound(from) || !from.syncStarted) return
  if (best !== undefined && best.chainWork >= tip.chainWork) {
    trial.timeout = 0
    trial.goal = undefined
    return
  }
  const reachedGoal = trial.goal !== undefined && best !== undefined && best.chainWork >= trial.goal.chainWork
  if (trial.timeout === 0 || reachedGoal) return begin(from, tip, now)
  if (now <= trial.timeout) return
  if (trial.askedForHeaders) return peer.disconnect("its chain stayed behind ours")
  trial.askedForHeaders = true
  trial.timeout = now + CHAIN_SYNC_RESPONSE
  askForHeaders(sync, from, trial.goal!.parent ?? trial.goal!)
}
