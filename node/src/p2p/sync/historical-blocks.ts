import { ancestorAt } from "@lockstep/kernel/chain"
import { HeaderStatus } from "../../engine/header-index/header-status.ts"
import { has, nodeOf } from "../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import { firstRequest } from "./blocks-in-flight.ts"
import type { PeerSync } from "./peer-sync.ts"
import { DOWNLOAD_WINDOW } from "./sync-limits.ts"
import type { SyncState } from "./sync-state.ts"

/**
 * Blocks below a snapshot that is not confirmed yet: the next ones of the background chain that are neither here nor in
 * flight, at most `most`. Only from a peer that has the whole chain of the snapshot, and within the block download
 * window.
 */
export const historicalWanted = (
  sync: SyncState,
  { best, isLimited, servesWitnesses }: PeerSync,
  most: number
): ReadonlyArray<HeaderIndexNode> => {
  const { arriving, context: { chain: { state, tree }, network } } = sync
  const { snapshot } = state()
  const behind = snapshot?.background
  if (snapshot === undefined || behind === undefined || best === undefined || isLimited || most <= 0) return []
  const base = nodeOf(tree, snapshot.hash)
  if (base === undefined || ancestorAt(best, base.height) !== base) return []
  const nodes: Array<HeaderIndexNode> = []
  const end = ancestorAt(base, Math.min(base.height, behind.height + DOWNLOAD_WINDOW)) as HeaderIndexNode
  const path: Array<HeaderIndexNode> = []
  for (let node = end; node.height > behind.height; node = node.parent!) path.push(node)
  for (const node of path.reverse()) {
    if (nodes.length === most || (!servesWitnesses && node.height >= network.parameters.heights.segwit)) break
    const isHere = has(tree, node, HeaderStatus.STORED) || arriving.known.has(node.index)
    if (!isHere && firstRequest(sync, node) === undefined) nodes.push(node)
  }
  return nodes
}
