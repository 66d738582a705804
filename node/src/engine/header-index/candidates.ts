import { ancestorAt, isBetterChain } from "@lockstep/kernel/chain"
import { isActive } from "./active-chain.ts"
import { HeaderStatus } from "./header-status.ts"
import { has, type HeaderIndex, isInvalid, isLinked } from "./header-index.ts"
import type { HeaderIndexNode } from "./header-index-node.ts"

const isBetter = (tree: HeaderIndex, a: HeaderIndexNode, b: HeaderIndexNode): boolean => {
  const { sequence } = tree.columns
  return isBetterChain({ node: a, sequence: sequence[a.index]! }, { node: b, sequence: sequence[b.index]! })
}

/** Whether every block from the active chain up to `node` is still here. */
const isReachable = (tree: HeaderIndex, node: HeaderIndexNode): boolean => {
  for (let at = node; !isActive(tree, at); at = at.parent!) if (!has(tree, at, HeaderStatus.STORED)) return false
  return true
}

/** Whether the active chain may go there: it does not leave the block of a snapshot that is not confirmed. */
const isAllowed = ({ assumed }: HeaderIndex, node: HeaderIndexNode): boolean =>
  assumed === undefined || ancestorAt(node, assumed.height) === assumed

const bestOf = (tree: HeaderIndex): HeaderIndexNode => {
  let best = tree.tip
  for (const each of tree.candidates) if (isBetter(tree, each, best) && isAllowed(tree, each)) best = each
  return best
}

/** The end of the best chain there is: the tip itself when no chain is better. */
export const bestCandidate = (tree: HeaderIndex): HeaderIndexNode => {
  for (;;) {
    const best = bestOf(tree)
    if (isReachable(tree, best)) return best
    tree.candidates.delete(best)
  }
}

/** Forgets candidates that are worse than the tip. */
export const pruneCandidates = (tree: HeaderIndex): void => {
  for (const each of tree.candidates) if (isBetter(tree, tree.tip, each)) tree.candidates.delete(each)
}

/** Looks for candidates among all blocks: after a disconnected tip, or when marks were removed. */
export const findCandidates = (tree: HeaderIndex): void => {
  const { nodes, tip } = tree
  for (const node of nodes) {
    if (isLinked(tree, node) && !isInvalid(tree, node) && node.chainWork >= tip.chainWork) tree.candidates.add(node)
  }
}
