import { medianTimePast } from "@lockstep/kernel/header/median-time.ts"
import type { BlockFacts } from "../calls/engine-calls.ts"
import { activeAt, isActive } from "../header-tree/active-chain.ts"
import { blockPlace, undoPlace } from "../header-tree/block-place.ts"
import { HeaderStatus } from "../header-tree/header-status.ts"
import { has, type HeaderTree } from "../header-tree/header-tree.ts"
import type { TreeNode } from "../header-tree/tree-node.ts"

/** What anybody may ask of a block of the tree. */
export const blockFacts = (tree: HeaderTree, node: TreeNode): BlockFacts => {
  const active = isActive(tree, node)
  return {
    hash: node.hash.slice(),
    header: node.header.bytes.slice(),
    height: node.height,
    confirmations: active ? tree.tip.height - node.height + 1 : -1,
    medianTime: medianTimePast(node),
    chainWork: node.chainWork,
    transactions: tree.columns.transactions[node.index]!,
    next: active ? activeAt(tree, node.height + 1)?.hash.slice() : undefined,
    block: blockPlace(tree, node),
    undo: undoPlace(tree, node),
    pruned: has(tree, node, HeaderStatus.PRUNED)
  }
}
