import type { ChainTip } from "../api/chain-calls.ts"
import { isActive } from "../header-index/active-chain.ts"
import { HeaderStatus } from "../header-index/header-status.ts"
import { has, type HeaderIndex, isInvalid, isLinked } from "../header-index/header-index.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"

const statusOf = (tree: HeaderIndex, node: HeaderIndexNode): ChainTip["status"] => {
  if (node === tree.tip) return "active"
  if (isInvalid(tree, node)) return "invalid"
  if (!isLinked(tree, node)) return "headers-only"
  return has(tree, node, HeaderStatus.CONNECTED) ? "valid-fork" : "valid-headers"
}

const branchLength = (tree: HeaderIndex, node: HeaderIndexNode): number => {
  let at = node
  while (!isActive(tree, at)) at = at.parent!
  return node.height - at.height
}

/** The tip and every leaf of the tree off the active chain, highest first. */
export const chainTips = (tree: HeaderIndex): ReadonlyArray<ChainTip> =>
  tree.nodes
    .filter((node) => node === tree.tip || (tree.columns.firstChild[node.index] === 0 && !isActive(tree, node)))
    .map((node) => ({
      height: node.height,
      hash: node.hash.slice(),
      branchLength: branchLength(tree, node),
      status: statusOf(tree, node)
    }))
    .sort((a, b) => b.height - a.height || Buffer.compare(a.hash, b.hash))
