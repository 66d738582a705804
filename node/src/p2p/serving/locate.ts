import type { Height } from "@lockstep/kernel/quantities"
import { bytesEqual } from "@lockstep/kernel/bytes"
import { ancestorAt } from "@lockstep/kernel/chain"
import { activeAt, isActive } from "../../engine/header-index/active-chain.ts"
import { type HeaderIndex, nodeOf } from "../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"

/** Returns the newest block of the active chain that a locator names, or genesis. */
export const forkOfLocator = (tree: HeaderIndex, locator: ReadonlyArray<Uint8Array>): HeaderIndexNode => {
  for (const hash of locator) {
    const node = nodeOf(tree, hash)
    if (node === undefined) continue
    if (isActive(tree, node)) return node
    if (ancestorAt(node, tree.tip.height) === tree.tip) return tree.tip
  }
  return activeAt(tree, 0)!
}

/** Returns blocks of the active chain from a height on, up to and including the one with the hash `stop`. */
export const blocksFrom = (
  tree: HeaderIndex,
  height: Height,
  stop: Uint8Array,
  most: number
): ReadonlyArray<HeaderIndexNode> => {
  const found: Array<HeaderIndexNode> = []
  for (
    let node = activeAt(tree, height);
    node !== undefined && found.length < most;
    node = activeAt(tree, node.height + 1)
  ) {
    found.push(node)
    if (bytesEqual(node.hash, stop)) break
  }
  return found
}
