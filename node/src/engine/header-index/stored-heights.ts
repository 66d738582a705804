import { activeAt } from "./active-chain.ts"
import { HeaderStatus } from "./header-status.ts"
import { has, type HeaderIndex } from "./header-index.ts"

/**
 * The lowest height from which on every block of the active chain is here. Pruning removes from below, so it is found
 * by halving.
 */
export const lowestStoredHeight = (tree: HeaderIndex): number => {
  let [low, high] = [0, tree.tip.height]
  while (low < high) {
    const middle = (low + high) >> 1
    if (has(tree, activeAt(tree, middle)!, HeaderStatus.STORED)) high = middle
    else low = middle + 1
  }
  return low
}
