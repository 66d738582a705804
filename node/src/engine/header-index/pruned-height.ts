import type { Height } from "@lockstep/kernel/quantities"
import { activeAt } from "./active-chain.ts"
import type { HeaderIndex } from "./header-index.ts"
import { HeaderStatus } from "./header-status.ts"

const WHOLE = HeaderStatus.STORED | HeaderStatus.UNDO

/**
 * Returns the height of the last block of the active chain that lacks its bytes or its undo data, −1 if none does
 * (`GetPruneHeight` of Bitcoin Core). The genesis block has no undo data and is skipped. A pruned block that was
 * fetched again has none either, so it stays pruned. The walk begins where the last one ended.
 */
export const prunedHeight = (tree: HeaderIndex): Height => {
  let height = Math.min(tree.lastPruned ?? tree.tip.height, tree.tip.height)
  while (height > 0 && (tree.columns.status[activeAt(tree, height)!.index]! & WHOLE) === WHOLE) height--
  tree.lastPruned = height
  return height === 0 ? -1 : height
}
