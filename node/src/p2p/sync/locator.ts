import { ancestorAt } from "@lockstep/kernel/header/node.ts"
import type { TreeNode } from "../../engine/header-tree/tree-node.ts"

/** Steps back one by one before they get longer. */
const SINGLE_STEPS = 10

/**
 * Hashes of the chain that ends in `node`, newest first: the last ones without a gap, then ever fewer, genesis last. Whoever
 * has another chain finds the newest block of both within a factor of two.
 */
export const locatorOf = (node: TreeNode): ReadonlyArray<Uint8Array> => {
  const hashes: Array<Uint8Array> = []
  let step = 1
  let at = node
  for (;;) {
    hashes.push(at.hash)
    if (at.height === 0) return hashes
    at = ancestorAt(at, Math.max(at.height - step, 0)) as TreeNode
    if (hashes.length > SINGLE_STEPS) step *= 2
  }
}
