import type { HeaderIndexNode } from "../header-index/header-index-node.ts"

/** Inputs of blocks that have arrived and are not connected, so that they are not decoded again for the count. */
export interface InputCounts {
  readonly note: (node: HeaderIndexNode, inputs: number) => void
  /** The inputs of a block that was validated; 0 for one that came another way. It is forgotten. */
  readonly take: (node: HeaderIndexNode) => number
}

/** More blocks than may be in flight from all peers at once; of older ones, the inputs are not counted. */
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
