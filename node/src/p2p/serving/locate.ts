import { bytesEqual } from "@lockstep/kernel/bytes/equal.ts"
import { ancestorAt } from "@lockstep/kernel/header/node.ts"
import { activeAt, isActive } from "../../engine/header-tree/active-chain.ts"
import { type HeaderTree, nodeOf } from "../../engine/header-tree/header-tree.ts"
import type { TreeNode } from "../../engine/header-tree/tree-node.ts"

/** The newest block of ours that a locator names; genesis where it names none. */
export const forkOfLocator = (tree: HeaderTree, locator: ReadonlyArray<Uint8Array>): TreeNode => {
  for (const hash of locator) {
    const node = nodeOf(tree, hash)
    if (node === undefined) continue
    if (isActive(tree, node)) return node
    if (ancestorAt(node, tree.tip.height) === tree.tip) return tree.tip
  }
  return activeAt(tree, 0)!
}

/** Blocks of the best chain from a height on, up to and with the one that has the hash `stop`. */
export const blocksFrom = (tree: HeaderTree, height: number, stop: Uint8Array, most: number): ReadonlyArray<TreeNode> => {
  const found: Array<TreeNode> = []
  for (let node = activeAt(tree, height); node !== undefined && found.length < most; node = activeAt(tree, node.height + 1)) {
    found.push(node)
    if (bytesEqual(node.hash, stop)) break
  }
  return found
}
