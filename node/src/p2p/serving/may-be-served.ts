import { blockWork } from "@lockstep/kernel/work"
import { isActive } from "../../engine/header-index/active-chain.ts"
import { HeaderStatus } from "../../engine/header-index/header-status.ts"
import { has, isInvalid } from "../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import { SERVING_LIMITS } from "./serving-limits.ts"

/** Returns the milliseconds for the work between two blocks, at the rate of the better one. */
const workApart = (node: HeaderIndexNode, best: HeaderIndexNode, interval: number): number => {
  const work = best.chainWork > node.chainWork ? best.chainWork - node.chainWork : node.chainWork - best.chainWork
  const each = blockWork(best.header.bits)
  return each === 0n ? 0 : Number(work / each) * interval * 1_000
}

/**
 * True if an untrusted peer may learn that this node has the block: it is in the active chain, or is a recent stale
 * block that was connected once. The old stale blocks of a node would identify it.
 */
export const mayBeServed = (node: HeaderIndexNode, { chain: { tree }, network }: P2pContext): boolean => {
  if (isActive(tree, node)) return true
  if (isInvalid(tree, node) || !has(tree, node, HeaderStatus.CONNECTED)) return false
  const best = tree.bestHeader
  const { most } = SERVING_LIMITS.staleAge
  const isYoung = (best.header.time - node.header.time) * 1_000 < most
  return isYoung && workApart(node, best, network.parameters.work.targetSpacing) < most
}
