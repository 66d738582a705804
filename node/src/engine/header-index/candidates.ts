import { ancestorAt, isBetterChain } from "@lockstep/kernel/chain"
import { isActive } from "./active-chain.ts"
import { HeaderStatus } from "./header-status.ts"
import { has, type HeaderIndex, isInvalid, isLinked } from "./header-index.ts"
import type { HeaderIndexNode } from "./header-index-node.ts"

const isBetter = (tree: HeaderIndex, a: HeaderIndexNode, b: HeaderIndexNode): boolean => {
  const { sequence } = tree.columns
  return isBetterChain({ node: a, sequence: sequence[a.index]! }, { node: b, sequence: sequence[b.index]! })
}

/** Reports whether every block from the active chain up to `node` is stored. */
const isReachable = (tree: HeaderIndex, node: HeaderIndexNode): boolean => {
  for (let at = node; !isActive(tree, at); at = at.parent!) if (!has(tree, at, HeaderStatus.STORED)) return false
  return true
}

/** Reports whether the active chain may move to `node`: it must contain the block of an unconfirmed snapshot. */
const isAllowed = ({ assumed }: HeaderIndex, node: HeaderIndexNode): boolean =>
  assumed === undefined || ancestorAt(node, assumed.height) === assumed

const bestOf = (tree: HeaderIndex): HeaderIndexNode => {
  let best = tree.tip
  for (const each of tree.candidates) if (isBetter(tree, each, best) && isAllowed(tree, each)) best = each
  return best
}

/** Returns the end of the best chain; the tip itself if no chain is better. */
export const bestCandidate = (tree: HeaderIndex): HeaderIndexNode => {
  for (;;) {
    const best = bestOf(tree)
    if (isReachable(tree, best)) return best
    tree.candidates.delete(best)
  }
}

/** Removes candidates that are worse than the tip. */
export const pruneCandidates = (tree: HeaderIndex): void => {
  for (const each of tree.candidates) if (isBetter(tree, tree.tip, each)) tree.candidates.delete(each)
}

/** Searches all blocks for candidates, after the tip was disconnected or marks were removed. */
export const findCandidates = (tree: HeaderIndex): void => {
  const { nodes, tip } = tree
  for (const node of nodes) {
    if (isLinked(tree, node) && !isInvalid(tree, node) && node.chainWork >= tip.chainWork) tree.candidates.add(node)
  }
}
