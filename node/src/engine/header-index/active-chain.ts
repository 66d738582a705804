import type { Height } from "@lockstep/kernel/quantities"
import type { HeaderIndex } from "./header-index.ts"
import type { HeaderIndexNode } from "./header-index-node.ts"

/** The block of the active chain at `height`. */
export const activeAt = (tree: HeaderIndex, height: Height): HeaderIndexNode | undefined =>
  height >= 0 && height <= tree.tip.height ? tree.nodes[tree.active[height]!] : undefined

/** Reports whether `node` is part of the active chain. */
export const isActive = (tree: HeaderIndex, node: HeaderIndexNode): boolean =>
  node.height <= tree.tip.height && tree.active[node.height] === node.index

/** Moves the tip by one block up or down or, when an index is loaded, to any block. */
export const setTip = (tree: HeaderIndex, tip: HeaderIndexNode): void => {
  // Nothing is known of blocks that were jumped over, as when a snapshot becomes active.
  if (tip.parent !== tree.tip && tree.tip.parent !== tip) tree.lastPruned = undefined
  if (tip.height >= tree.active.length) {
    const longer = new Int32Array(Math.max(tree.active.length * 2, tip.height + 1))
    longer.set(tree.active)
    tree.active = longer
  }
  let at: HeaderIndexNode | undefined = tip
  while (at !== undefined && !(at.height <= tree.tip.height && tree.active[at.height] === at.index)) {
    tree.active[at.height] = at.index
    at = at.parent
  }
  tree.tip = tip
}
