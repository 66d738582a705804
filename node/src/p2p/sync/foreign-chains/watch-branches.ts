import { lastCommonAncestor } from "@lockstep/kernel/chain"
import { isActive } from "../../../engine/header-index/active-chain.ts"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import type { Moment } from "../../../quantities.ts"
import { requestHeaders } from "../headers/request-headers.ts"
import type { PeerSync } from "../peer-sync.ts"
import { CHAIN_SYNC_RESPONSE } from "../sync-limits.ts"
import type { SyncState } from "../sync-state.ts"

/** Blocks of this chain that a branch must lack before it no longer counts as a race for the tip. */
const SETTLED_BLOCKS = 6
/** Milliseconds between two checks of all peers. */
const LOOK_INTERVAL = 10_000

/** The branch that a peer was seen on, and the time at which it was asked whether it still follows it. */
interface Suspicion {
  readonly best: HeaderIndexNode
  readonly askedAt: Moment
  isTold: boolean
}

/**
 * Returns the block where a peer's branch leaves the active chain. `undefined` if the peer is on the active chain,
 * ahead of it, or not far from it.
 */
const forkOf = ({ context: { chain: { tree } } }: SyncState, best: HeaderIndexNode): HeaderIndexNode | undefined => {
  if (isActive(tree, best) || best.chainWork >= tree.tip.chainWork) return undefined
  const fork = lastCommonAncestor(tree.tip, best) as HeaderIndexNode
  return tree.tip.height - fork.height >= SETTLED_BLOCKS ? fork : undefined
}

/**
 * Watches for peers on a branch with less work. A peer's last announcement may be outdated, since peers do not announce
 * what this node sent them. So it is asked for headers, and follows the branch only if that is still its best chain.
 */
export const watchBranches = (sync: SyncState): () => void => {
  const { context: { chain, environment }, foreign, peers } = sync
  const suspicions = new Map<PeerSync, Suspicion>()
  let nextLook: Moment = 0

  const look = (from: PeerSync, now: Moment): void => {
    const { best } = from
    const fork = best === undefined ? undefined : forkOf(sync, best)
    if (best === undefined || fork === undefined) return void suspicions.delete(from)
    const before = suspicions.get(from)
    if (before?.best !== best) {
      const { tip } = chain.tree
      // Begins behind the tip, so that a peer with the same tip has something to send.
      if (!requestHeaders(sync, from, tip.parent ?? tip)) return
      suspicions.set(from, { best, askedAt: now, isTold: false })
      return
    }
    // A peer that does not answer is left to the chain sync timeout.
    if (before.isTold || from.askedForHeaders !== 0 || now - before.askedAt < CHAIN_SYNC_RESPONSE) return
    before.isTold = true
    foreign.showedBranch(from.peer, { forkHeight: fork.height, height: best.height, hash: best.hash })
  }

  return () => {
    const now = environment.now()
    if (now < nextLook || chain.state().initialBlockDownload) return
    nextLook = now + LOOK_INTERVAL
    for (const from of suspicions.keys()) if (!peers.has(from.peer.id)) suspicions.delete(from)
    for (const from of peers.values()) if (!from.peer.isGone) look(from, now)
  }
}
