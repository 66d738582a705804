import { blockWork } from "@lockstep/kernel/work/block-work.ts"
import { isActive } from "../../engine/header-tree/active-chain.ts"
import { HeaderStatus } from "../../engine/header-tree/header-status.ts"
import { has, isInvalid } from "../../engine/header-tree/header-tree.ts"
import type { TreeNode } from "../../engine/header-tree/tree-node.ts"
import type { P2pContext } from "../p2p-context.ts"
import { SERVING_LIMITS } from "./serving-limits.ts"

/** Milliseconds that the work between two blocks takes, at the rate of the better one. */
const workApart = (node: TreeNode, best: TreeNode, interval: number): number => {
  const work = best.chainWork > node.chainWork ? best.chainWork - node.chainWork : node.chainWork - best.chainWork
  const each = blockWork(best.header.bits)
  return each === 0n ? 0 : Number(work / each) * interval * 1_000
}

/**
 * Whether a stranger may learn that we have this block: one of the best chain; or one beside it that was connected once and
 * is recent, since what old stale blocks a node has tells nodes apart.
 */
export const mayBeServed = (node: TreeNode, { chain: { tree }, network }: P2pContext): boolean => {
  if (isActive(tree, node)) return true
  if (isInvalid(tree, node) || !has(tree, node, HeaderStatus.CONNECTED)) return false
  const best = tree.bestHeader
  const { most } = SERVING_LIMITS.staleAge
  const isYoung = (best.header.time - node.header.time) * 1_000 < most
  return isYoung && workApart(node, best, network.parameters.work.targetSpacing) < most
}
