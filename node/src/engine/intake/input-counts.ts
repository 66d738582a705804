import type { TreeNode } from "../header-tree/tree-node.ts"

/** Inputs of blocks that have arrived and are not connected: when they are, nobody decodes them again to count. */
export interface InputCounts {
  readonly note: (node: TreeNode, inputs: number) => void
  /** The inputs of a block that was judged; 0 for one that came another way. It is forgotten. */
  readonly take: (node: TreeNode) => number
}

/** More blocks than may be under way from all peers at once; of older ones, the inputs are not counted. */
const REMEMBERED = 4_096

export const inputCounts = (): InputCounts => {
  const counts = new Map<number, number>()
  return {
    note: ({ index }, inputs) => {
      counts.set(index, inputs)
      if (counts.size > REMEMBERED) counts.delete(counts.keys().next().value!)
    },
    take: ({ index }) => {
      const count = counts.get(index) ?? 0
      counts.delete(index)
      return count
    }
  }
}
