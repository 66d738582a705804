import { isActive } from "./active-chain.ts"
import { HeaderStatus } from "./header-status.ts"
import { childrenOf, has, type HeaderIndex, isInvalid, isLinked } from "./header-index.ts"
import type { HeaderIndexNode } from "./header-index-node.ts"

/** Says that the chain up to `node` is here. Precondition: its parent is linked, its block has been here. */
export const markLinked = (tree: HeaderIndex, node: HeaderIndexNode): void => {
  const { columns } = tree
  columns.status[node.index]! |= HeaderStatus.LINKED
  tree.touched?.add(node.index)
  const before = node.parent === undefined ? 0 : columns.chainTransactions[node.parent.index]!
  columns.chainTransactions[node.index] = before + columns.transactions[node.index]!
}

/** Says that the chain up to the block of a snapshot counts as here, with so many transactions. */
export const markAssumed = (tree: HeaderIndex, node: HeaderIndexNode, chainTransactions: number): void => {
  tree.columns.status[node.index]! |= HeaderStatus.LINKED
  tree.touched?.add(node.index)
  tree.columns.chainTransactions[node.index] = chainTransactions
  tree.assumed = node
}

/** Notes that the block of `node` waits for its parent's. */
export const awaitParent = (tree: HeaderIndex, node: HeaderIndexNode): void => {
  const { index } = node.parent!
  const others = tree.unlinked.get(index)
  if (others === undefined) tree.unlinked.set(index, [node])
  else others.push(node)
}

/** Links blocks from the front of the queue on, and all that wait for them. */
const linkAll = (tree: HeaderIndex, queue: Array<HeaderIndexNode>): void => {
  for (const each of queue) {
    markLinked(tree, each)
    tree.columns.sequence[each.index] = tree.nextSequence++
    if (!isInvalid(tree, each)) tree.candidates.add(each)
    queue.push(...(tree.unlinked.get(each.index) ?? []))
    tree.unlinked.delete(each.index)
  }
}

/** Links the blocks that waited for `node`, which is linked now. */
export const linkWaiting = (tree: HeaderIndex, node: HeaderIndexNode): void => {
  const waiting = [...tree.unlinked.get(node.index) ?? []]
  tree.unlinked.delete(node.index)
  linkAll(tree, waiting)
}

/** Links a block that has just arrived, with all that waited for it, or lets it wait. */
export const linkBlock = (tree: HeaderIndex, node: HeaderIndexNode): void => {
  if (!isLinked(tree, node.parent!)) {
    awaitParent(tree, node)
    return
  }
  linkAll(tree, [node])
}

/**
 * Makes a pruned block that is received again a candidate, with the blocks above it that were given up while it was
 * missing. They count as received now (Core: `ReceivedBlockTransactions` with `m_blocks_unlinked`). Nothing above a block
 * of the active chain depends on its bytes.
 */
export const reviveCandidates = (tree: HeaderIndex, node: HeaderIndexNode): void => {
  if (isActive(tree, node) || !isLinked(tree, node)) return
  const queue = [node]
  for (const each of queue) {
    if (isInvalid(tree, each) || !has(tree, each, HeaderStatus.STORED)) continue
    if (!tree.candidates.has(each)) {
      tree.columns.sequence[each.index] = tree.nextSequence++
      tree.candidates.add(each)
    }
    queue.push(...childrenOf(tree, each))
  }
}
