import type { TreeNode } from "./header-tree/tree-node.ts"

/**
 * Blocks whose scripts were judged since the start, and hold: a bit for each header of the tree, by index.
 *
 * What a block's scripts are judged by never changes: its transactions with their witnesses and, through them, the coins they
 * spend are those its header commits to, and its rules are those of its place. So a node that comes back from another branch need
 * not judge them again (docs/decisions/0013).
 */
export interface JudgedScripts {
  bits: Uint8Array
}

/** None yet. */
export const judgedScripts = (): JudgedScripts => ({ bits: new Uint8Array(128) })

/** Whether the scripts of this block were found to hold. */
export const hold = ({ bits }: JudgedScripts, { index }: TreeNode): boolean => ((bits[index >> 3] ?? 0) >> (index & 7) & 1) === 1

/** Remembers that the scripts of this block were judged and hold. */
export const markHolding = (judged: JudgedScripts, { index }: TreeNode): void => {
  const at = index >> 3
  if (at >= judged.bits.length) {
    const larger = new Uint8Array(Math.max(judged.bits.length * 2, at + 1))
    larger.set(judged.bits)
    judged.bits = larger
  }
  judged.bits[at]! |= 1 << (index & 7)
}
