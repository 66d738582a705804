import { compareFeerates } from "../feerate/compare.ts"
import { has, highBit, lowBit, nextMember, WIDTH } from "./bits.ts"
import { choice, deactivate, type Forest, scatter } from "./forest.ts"
import { dependsOn, joinChunks, mergeDownwards, mergeUpwards } from "./merge.ts"
import type { Problem } from "./problem.ts"

/** Working memory of the search for a split. */
export interface Search {
  readonly reached: Int32Array
  parent: number
  child: number
  /** Chunks to be examined. */
  dueLow: number
  dueHigh: number
}

export const emptySearch = (): Search => ({ reached: new Int32Array(2), parent: 0, child: 0, dueLow: 0, dueHigh: 0 })

/**
 * Finds the active dependency of a chunk whose top gains most by going first. Returns false if no top has a higher
 * feerate.
 */
const findSplit = (forest: Forest, search: Search, chunk: number): boolean => {
  const { activeHigh, activeLow, slotOf, topFee, topSize } = forest
  const low = forest.chunkLow[chunk]!
  const high = forest.chunkHigh[chunk]!
  const fee = forest.chunkFee[chunk]!
  const size = forest.chunkSize[chunk]!
  let best = -1
  for (let parent = nextMember(low, high, 0); parent < WIDTH; parent = nextMember(low, high, parent + 1)) {
    const childrenLow = activeLow[parent]!
    const childrenHigh = activeHigh[parent]!
    for (let child = nextMember(childrenLow, childrenHigh, 0); child < WIDTH;) {
      const slot = slotOf[parent * WIDTH + child]!
      forest.cost++
      // Rounded, which suffices for a choice; whether it is a gain at all is decided exactly.
      const gain = topFee[slot]! * size - fee * topSize[slot]!
      if (gain > best && gain >= 0 && compareFeerates(topFee[slot]!, topSize[slot]!, fee, size) > 0) {
        best = gain
        search.parent = parent
        search.child = child
      }
      child = nextMember(childrenLow, childrenHigh, child + 1)
    }
  }
  return best >= 0
}

const note = (search: Search, chunk: number): void => {
  search.dueLow |= lowBit(chunk)
  search.dueHigh |= highBit(chunk)
}

/** Removes and returns any of the due chunks. */
const takeDue = (forest: Forest, search: Search): number => {
  const { dueHigh, dueLow } = search
  let chunk = nextMember(dueLow, dueHigh, choice(forest, WIDTH))
  if (chunk === WIDTH) chunk = nextMember(dueLow, dueHigh, 0)
  search.dueLow &= ~lowBit(chunk)
  search.dueHigh &= ~highBit(chunk)
  return chunk
}

/**
 * Splits a chunk where the gain is greatest, and merges each part with the chunks that it depends on or that depend on
 * it.
 */
const improveChunk = (forest: Forest, problem: Problem, search: Search, chunk: number): void => {
  if (!findSplit(forest, search, chunk)) return
  const bottom = chunk
  const top = deactivate(forest, search.parent, search.child)
  if (dependsOn(forest, problem, top, bottom, search.reached)) {
    note(search, joinChunks(forest, problem, top, bottom))
    return
  }
  // Either part may have been merged by now, so its chunk is found by its transactions.
  const { child, parent } = search
  mergeUpwards(forest, problem, top, search.reached)
  mergeDownwards(forest, problem, forest.chunkOf[child]!, search.reached)
  note(search, forest.chunkOf[parent]!)
  note(search, forest.chunkOf[child]!)
}

/** Initializes the chunks at least as good as the given order has them: each transaction joins the one it pays for. */
const startFromOrder = (forest: Forest, problem: Problem, search: Search): void => {
  scatter(forest, problem)
  for (let tx = 0; tx < problem.count; tx++) mergeUpwards(forest, problem, forest.chunkOf[tx]!, search.reached)
}

/** Builds the best forest within `budget`. Returns whether its chunks are known to be optimal. */
export const growForest = (forest: Forest, problem: Problem, search: Search, budget: number): boolean => {
  startFromOrder(forest, problem, search)
  search.dueLow = forest.chunksLow
  search.dueHigh = forest.chunksHigh
  while ((search.dueLow | search.dueHigh) !== 0) {
    if (forest.cost > budget) return false
    const chunk = takeDue(forest, search)
    // A chunk that was merged is examined as part of the other one.
    if (has(forest.chunksLow, forest.chunksHigh, chunk)) improveChunk(forest, problem, search, chunk)
  }
  return true
}
