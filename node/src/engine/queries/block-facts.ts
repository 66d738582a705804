import { medianTimePast } from "@lockstep/kernel/chain"
import type { BlockFacts } from "../api/chain-calls.ts"
import { activeAt, isActive } from "../header-index/active-chain.ts"
import { blockPlace, undoPlace } from "../header-index/block-place.ts"
import { HeaderStatus } from "../header-index/header-status.ts"
import { has, type HeaderIndex } from "../header-index/header-index.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"

/** The facts about a block of the header index. */
export const blockFacts = (tree: HeaderIndex, node: HeaderIndexNode): BlockFacts => {
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
