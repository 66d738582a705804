import type { UnixMilliseconds } from "../../../quantities.ts"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import { requestHeaders } from "./request-headers.ts"
import type { PeerSync } from "../peer-sync.ts"
import { CHAIN_SYNC_RESPONSE, CHAIN_SYNC_TIMEOUT, PROTECTED_PEERS } from "../sync-limits.ts"
import type { SyncState } from "../sync-state.ts"

const isOutbound = ({ peer: { kind } }: PeerSync): boolean =>
  kind === "outbound-full-relay" || kind === "block-relay-only"

const protectedCount = ({ peers }: SyncState): number => {
  let count = 0
  for (const { chainSync } of peers.values()) if (chainSync.isProtected) count++
  return count
}

/**
 * Judges the chain of an outbound peer after headers. In the initial download, a peer without more headers whose chain
 * has too little work is useless and disconnected. One with a chain as good as this node's may become one of the few
 * that are protected from eviction (Core: `ConsiderEviction`).
 */
export const noteChainOf = (sync: SyncState, from: PeerSync, hasMore: boolean): void => {
  const { chain: { state, tree }, network } = sync.context
  const { best, peer, chainSync } = from
  if (!isOutbound(from)) return
  if (state().initialBlockDownload && !hasMore && best !== undefined && best.chainWork < network.minimumChainWork) {
    return peer.disconnect({ _tag: "ChainWorkTooLow" })
  }
  if (
    peer.kind === "outbound-full-relay" && best !== undefined && best.chainWork >= tree.tip.chainWork &&
    !chainSync.isProtected
  ) {
    chainSync.isProtected = protectedCount(sync) < PROTECTED_PEERS
    if (!chainSync.isProtected) return
    sync.context.notify.trace?.({ _tag: "PeerProtected", peer: peer.id })
  }
}

const begin = (from: PeerSync, tip: HeaderIndexNode, now: UnixMilliseconds): void => {
  from.chainSync.timeout = now + CHAIN_SYNC_TIMEOUT
  from.chainSync.goal = tip
  from.chainSync.askedForHeaders = false
}

/**
 * Core's `ConsiderEviction`: an outbound peer behind this node's chain gets time to catch up, is asked once more, and
 * is then disconnected. It may be stuck or lying.
 */
export const considerEviction = (sync: SyncState, from: PeerSync, now: UnixMilliseconds): void => {
  const { tip } = sync.context.chain.tree
  const { best, peer, chainSync } = from
  if (chainSync.isProtected || !isOutbound(from) || !from.syncStarted) return
  if (best !== undefined && best.chainWork >= tip.chainWork) {
    chainSync.timeout = 0
    chainSync.goal = undefined
    return
  }
  const reachedGoal = chainSync.goal !== undefined && best !== undefined && best.chainWork >= chainSync.goal.chainWork
  if (chainSync.timeout === 0 || reachedGoal) return begin(from, tip, now)
  if (now <= chainSync.timeout) return
  if (chainSync.askedForHeaders) {
    sync.context.notify.trace?.({ _tag: "OldChain", peer: peer.id, best: best?.hash })
    return peer.disconnect({ _tag: "ChainSyncTimeout" })
  }
  chainSync.askedForHeaders = true
  chainSync.timeout = now + CHAIN_SYNC_RESPONSE
  requestHeaders(sync, from, chainSync.goal!.parent ?? chainSync.goal!)
}
