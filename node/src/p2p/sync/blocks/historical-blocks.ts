import { ancestorAt, lastCommonAncestor } from "@lockstep/kernel/chain"
import { HeaderStatus } from "../../../engine/header-index/header-status.ts"
import { has, nodeOf } from "../../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import { firstRequest } from "./blocks-in-flight.ts"
import type { PeerSync } from "../peer-sync.ts"
import { DOWNLOAD_WINDOW } from "../sync-limits.ts"
import type { SyncState } from "../sync-state.ts"

/** The missing part of the background chain, up to the block of the snapshot, as far as the peer has it. */
interface Gap {
  readonly base: HeaderIndexNode
  /** Height up to which blocks are validated. */
  readonly behind: number
}

const gapFor = (
  { context: { chain: { state, tree } } }: SyncState,
  { best, isLimited }: PeerSync
): Gap | undefined => {
  const { snapshot } = state()
  if (snapshot?.background === undefined || best === undefined || isLimited) return undefined
  const base = nodeOf(tree, snapshot.hash)
  if (base === undefined || ancestorAt(best, base.height) !== base) return undefined
  // The background chain may have forked off before the snapshot was loaded, and returns to the fork first.
  const tip = nodeOf(tree, snapshot.background.hash)
  const fork = tip && lastCommonAncestor(tip, base)
  return { base, behind: fork?.height ?? snapshot.background.height }
}

/** Returns the blocks of the gap within the block download window, oldest first. */
const windowOf = ({ base, behind }: Gap): ReadonlyArray<HeaderIndexNode> => {
  const path: Array<HeaderIndexNode> = []
  let node = ancestorAt(base, Math.min(base.height, behind + DOWNLOAD_WINDOW)) as HeaderIndexNode
  for (; node.height > behind; node = node.parent!) path.push(node)
  return path.reverse()
}

const isMissing = (sync: SyncState, node: HeaderIndexNode): boolean =>
  !has(sync.context.chain.tree, node, HeaderStatus.STORED) && !sync.arriving.known.has(node.index) &&
  firstRequest(sync, node) === undefined

/**
 * Returns up to `most` blocks below an unconfirmed snapshot: the next ones of the background chain that are neither
 * stored nor in flight. They are requested only from a peer that has the whole chain of the snapshot, and within the
 * block download window.
 */
export const historicalWanted = (
  sync: SyncState,
  from: PeerSync,
  most: number
): ReadonlyArray<HeaderIndexNode> => {
  const gap = most > 0 ? gapFor(sync, from) : undefined
  if (gap === undefined) return []
  const { segwit } = sync.context.network.parameters.heights
  return windowOf(gap)
    .filter((node) => (from.servesWitnesses || node.height < segwit) && isMissing(sync, node))
    .slice(0, most)
}
