import type { HeaderTree } from "./header-tree.ts"
import type { TreeNode } from "./tree-node.ts"

/** The block of the active chain at `height`. */
export const activeAt = (tree: HeaderTree, height: number): TreeNode | undefined =>
  height >= 0 && height <= tree.tip.height ? tree.nodes[tree.active[height]!] : undefined

/** Whether `node` is part of the active chain. */
export const isActive = (tree: HeaderTree, node: TreeNode): boolean =>
  node.height <= tree.tip.height && tree.active[node.height] === node.index

/** Moves the tip by one block, up or down, or, when a tree is loaded, to any. */
export const setTip = (tree: HeaderTree, tip: TreeNode): void => {
  if (tip.height >= tree.active.length) {
    const longer = new Int32Array(Math.max(tree.active.length * 2, tip.height + 1))
    longer.set(tree.active)
    tree.active = longer
  }
  let at: TreeNode | undefined = tip
  while (at !== undefined && !(at.height <= tree.tip.height && tree.active[at.height] === at.index)) {
    tree.active[at.height] = at.index
    at = at.parent
  }
  tree.tip = tip
}
