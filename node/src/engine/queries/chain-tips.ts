import type { ChainTip } from "../calls/engine-calls.ts"
import { isActive } from "../header-tree/active-chain.ts"
import { HeaderStatus } from "../header-tree/header-status.ts"
import { has, type HeaderTree, isInvalid, isLinked } from "../header-tree/header-tree.ts"
import type { TreeNode } from "../header-tree/tree-node.ts"

const statusOf = (tree: HeaderTree, node: TreeNode): ChainTip["status"] => {
  if (node === tree.tip) return "active"
  if (isInvalid(tree, node)) return "invalid"
  if (!isLinked(tree, node)) return "headers-only"
  return has(tree, node, HeaderStatus.CONNECTED) ? "valid-fork" : "valid-headers"
}

const branchLength = (tree: HeaderTree, node: TreeNode): number => {
  let at = node
  while (!isActive(tree, at)) at = at.parent!
  return node.height - at.height
}

/** The tip, and every leaf of the tree off the active chain; highest first. */
export const chainTips = (tree: HeaderTree): ReadonlyArray<ChainTip> =>
  tree.nodes
    .filter((node) => node === tree.tip || (tree.columns.firstChild[node.index] === 0 && !isActive(tree, node)))
    .map((node) => ({
      height: node.height,
      hash: node.hash.slice(),
      branchLength: branchLength(tree, node),
      status: statusOf(tree, node)
    }))
    .sort((a, b) => b.height - a.height || Buffer.compare(a.hash, b.hash))
