import { isActive } from "./active-chain.ts"
import { HeaderStatus } from "./header-status.ts"
import { childrenOf, has, type HeaderIndex, isInvalid, isLinked } from "./header-index.ts"
import type { HeaderIndexNode } from "./header-index-node.ts"

/** Marks the chain up to `node` as linked. Precondition: its parent is linked and its block has been stored. */
export const markLinked = (tree: HeaderIndex, node: HeaderIndexNode): void => {
  const { columns } = tree
  columns.status[node.index]! |= HeaderStatus.LINKED
  tree.touched?.add(node.index)
  const before = node.parent === undefined ? 0 : columns.chainTransactions[node.parent.index]!
  columns.chainTransactions[node.index] = before + columns.transactions[node.index]!
}

/** Marks the chain up to the block of a snapshot as linked, with this number of transactions. */
export const markAssumed = (tree: HeaderIndex, node: HeaderIndexNode, chainTransactions: number): void => {
  tree.columns.status[node.index]! |= HeaderStatus.LINKED
  tree.touched?.add(node.index)
  tree.columns.chainTransactions[node.index] = chainTransactions
  tree.assumed = node
}

/** Records that the block of `node` waits for its parent's. */
export const awaitParent = (tree: HeaderIndex, node: HeaderIndexNode): void => {
  const { index } = node.parent!
  const others = tree.unlinked.get(index)
  if (others === undefined) tree.unlinked.set(index, [node])
  else others.push(node)
}

/** Links the blocks in the queue, and all blocks that wait for them. */
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

/** Links a new block and all blocks that waited for it, or queues it until its parent is linked. */
export const linkBlock = (tree: HeaderIndex, node: HeaderIndexNode): void => {
  if (!isLinked(tree, node.parent!)) {
    awaitParent(tree, node)
    return
  }
  linkAll(tree, [node])
}

/**
 * Makes a pruned block that is received again a candidate, and the blocks above it that were dropped while it was
 * missing. They count as received now (Core: `ReceivedBlockTransactions` with `m_blocks_unlinked`). No block above one
 * of the active chain depends on the bytes of that one.
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
