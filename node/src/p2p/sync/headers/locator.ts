import { ancestorAt } from "@lockstep/kernel/chain"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"

/** Number of single steps back before they grow. */
const SINGLE_STEPS = 10

/**
 * Returns the block locator of the chain that ends in `node`, newest first: the last hashes without a gap, then ever
 * fewer, genesis last. A peer on another chain finds the newest common block within a factor of two.
 */
export const locatorOf = (node: HeaderIndexNode): ReadonlyArray<Uint8Array> => {
  const hashes: Array<Uint8Array> = []
  let step = 1
  let at = node
  for (;;) {
    hashes.push(at.hash)
    if (at.height === 0) return hashes
    at = ancestorAt(at, Math.max(at.height - step, 0)) as HeaderIndexNode
    if (hashes.length > SINGLE_STEPS) step *= 2
  }
}
