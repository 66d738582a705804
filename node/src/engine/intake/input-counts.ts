import type { HeaderIndexNode } from "../header-index/header-index-node.ts"

/** Input counts of arrived blocks that are not connected yet, so that they are not decoded again for the count. */
export interface InputCounts {
  readonly note: (node: HeaderIndexNode, inputs: number) => void
  /** Removes and returns the input count of a validated block; 0 if the block came another way. */
  readonly take: (node: HeaderIndexNode) => number
}

/** More blocks than may be in flight from all peers at once. Older blocks lose their count. */
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
