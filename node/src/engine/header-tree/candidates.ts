import { isBetterChain } from "@lockstep/kernel/chain/selection.ts"
import { isActive } from "./active-chain.ts"
import { HeaderStatus } from "./header-status.ts"
import { has, type HeaderTree, isInvalid, isLinked } from "./header-tree.ts"
import type { TreeNode } from "./tree-node.ts"

const isBetter = (tree: HeaderTree, a: TreeNode, b: TreeNode): boolean => {
  const { sequence } = tree.columns
  return isBetterChain({ node: a, sequence: sequence[a.index]! }, { node: b, sequence: sequence[b.index]! })
}

/** Whether every block from the active chain up to `node` is still here. */
const isReachable = (tree: HeaderTree, node: TreeNode): boolean => {
  for (let at = node; !isActive(tree, at); at = at.parent!) if (!has(tree, at, HeaderStatus.STORED)) return false
  return true
}

const bestOf = (tree: HeaderTree): TreeNode => {
  let best = tree.tip
  for (const each of tree.candidates) if (isBetter(tree, each, best)) best = each
  return best
}

/** The end of the best chain there is: the tip itself when nothing is better. */
export const bestCandidate = (tree: HeaderTree): TreeNode => {
  for (;;) {
    const best = bestOf(tree)
    if (isReachable(tree, best)) return best
    tree.candidates.delete(best)
  }
}

/** Forgets candidates that are worse than the tip. */
export const pruneCandidates = (tree: HeaderTree): void => {
  for (const each of tree.candidates) if (isBetter(tree, tree.tip, each)) tree.candidates.delete(each)
}

/** Looks for candidates among all blocks: after the tip went down, or marks were taken off. */
export const findCandidates = (tree: HeaderTree): void => {
  const { nodes, tip } = tree
  for (const node of nodes) {
    if (isLinked(tree, node) && !isInvalid(tree, node) && node.chainWork >= tip.chainWork) tree.candidates.add(node)
  }
}
