import { has, highBit, lowBit, nextMember, WIDTH } from "./bits.ts"
import type { Problem } from "./problem.ts"

/**
 * A spanning forest of a cluster. Its trees are chunks, and their edges are active dependencies. The top of an active
 * dependency is the part of the chunk on the parent's side of it.
 */
export interface Forest {
  readonly chunkOf: Uint8Array
  /** Numbers of the existing chunks. */
  chunksLow: number
  chunksHigh: number
  readonly chunkLow: Int32Array
  readonly chunkHigh: Int32Array
  readonly chunkFee: Float64Array
  readonly chunkSize: Int32Array
  /** Children of a transaction by active dependencies. */
  readonly activeLow: Int32Array
  readonly activeHigh: Int32Array
  /** Slots that hold the tops of active dependencies, by `parent * 64 + child`. */
  readonly slotOf: Uint8Array
  readonly freeSlots: Uint8Array
  freeSlotCount: number
  readonly topLow: Int32Array
  readonly topHigh: Int32Array
  readonly topFee: Float64Array
  readonly topSize: Int32Array
  /** Cost spent on this cluster so far. */
  cost: number
  /**
   * State of the pseudorandom choices, which keep crafted clusters from being slow. It is not reset between clusters.
   */
  random: number
}

const words = (): Int32Array => new Int32Array(WIDTH)

export const emptyForest = (): Forest => ({
  chunkOf: new Uint8Array(WIDTH),
  chunksLow: 0,
  chunksHigh: 0,
  chunkLow: words(),
  chunkHigh: words(),
  chunkFee: new Float64Array(WIDTH),
  chunkSize: words(),
  activeLow: words(),
  activeHigh: words(),
  slotOf: new Uint8Array(WIDTH * WIDTH),
  freeSlots: new Uint8Array(WIDTH),
  freeSlotCount: 0,
  topLow: words(),
  topHigh: words(),
  topFee: new Float64Array(WIDTH),
  topSize: words(),
  cost: 0,
  random: 0x2545f491
})

/** Puts every transaction into a chunk of its own. */
export const scatter = (forest: Forest, { count, fee, size }: Problem): void => {
  forest.cost = 0
  forest.chunksLow = forest.chunksHigh = 0
  forest.freeSlotCount = WIDTH
  for (let i = 0; i < WIDTH; i++) forest.freeSlots[i] = i
  for (let i = 0; i < count; i++) {
    forest.chunkOf[i] = i
    forest.chunksLow |= lowBit(i)
    forest.chunksHigh |= highBit(i)
    forest.chunkLow[i] = lowBit(i)
    forest.chunkHigh[i] = highBit(i)
    forest.chunkFee[i] = fee[i]!
    forest.chunkSize[i] = size[i]!
    forest.activeLow[i] = forest.activeHigh[i] = 0
  }
}

/** Adds chunk `other` to each top within the set that contains `member` (`sign` 1), or removes it (-1). */
const adjustTops = (forest: Forest, low: number, high: number, member: number, other: number, sign: number): void => {
  const { activeHigh, activeLow, chunkFee, chunkHigh, chunkLow, chunkSize, slotOf } = forest
  const { topFee, topHigh, topLow, topSize } = forest
  for (let parent = nextMember(low, high, 0); parent < WIDTH; parent = nextMember(low, high, parent + 1)) {
    const childrenLow = activeLow[parent]!
    const childrenHigh = activeHigh[parent]!
    for (let child = nextMember(childrenLow, childrenHigh, 0); child < WIDTH;) {
      const slot = slotOf[parent * WIDTH + child]!
      forest.cost++
      if (has(topLow[slot]!, topHigh[slot]!, member)) {
        // The two sets are disjoint, or one includes the other, so an exclusive or both adds and removes.
        topLow[slot]! ^= chunkLow[other]!
        topHigh[slot]! ^= chunkHigh[other]!
        topFee[slot]! += sign * chunkFee[other]!
        topSize[slot]! += sign * chunkSize[other]!
      }
      child = nextMember(childrenLow, childrenHigh, child + 1)
    }
  }
}

/** Activates the dependency between two chunks. They become one, whose number is returned. */
export const activate = (forest: Forest, parent: number, child: number): number => {
  const { chunkFee, chunkHigh, chunkLow, chunkOf, chunkSize } = forest
  const upper = chunkOf[parent]!
  const lower = chunkOf[child]!
  adjustTops(forest, chunkLow[upper]!, chunkHigh[upper]!, parent, lower, 1)
  adjustTops(forest, chunkLow[lower]!, chunkHigh[lower]!, child, upper, 1)
  const slot = forest.freeSlots[--forest.freeSlotCount]!
  forest.slotOf[parent * WIDTH + child] = slot
  forest.topLow[slot] = chunkLow[upper]!
  forest.topHigh[slot] = chunkHigh[upper]!
  forest.topFee[slot] = chunkFee[upper]!
  forest.topSize[slot] = chunkSize[upper]!
  forest.activeLow[parent]! |= lowBit(child)
  forest.activeHigh[parent]! |= highBit(child)
  const low = chunkLow[lower]!
  const high = chunkHigh[lower]!
  for (let tx = nextMember(low, high, 0); tx < WIDTH; tx = nextMember(low, high, tx + 1)) chunkOf[tx] = upper
  chunkLow[upper]! |= low
  chunkHigh[upper]! |= high
  chunkFee[upper]! += chunkFee[lower]!
  chunkSize[upper]! += chunkSize[lower]!
  forest.chunksLow &= ~lowBit(lower)
  forest.chunksHigh &= ~highBit(lower)
  return upper
}

/** Deactivates an active dependency. Its top becomes a new chunk, whose number is returned. */
export const deactivate = (forest: Forest, parent: number, child: number): number => {
  const { chunkFee, chunkHigh, chunkLow, chunkOf, chunkSize } = forest
  const slot = forest.slotOf[parent * WIDTH + child]!
  const bottom = chunkOf[child]!
  const top = nextMember(~forest.chunksLow, ~forest.chunksHigh, 0)
  const low = forest.topLow[slot]!
  const high = forest.topHigh[slot]!
  forest.freeSlots[forest.freeSlotCount++] = slot
  forest.activeLow[parent]! &= ~lowBit(child)
  forest.activeHigh[parent]! &= ~highBit(child)
  forest.chunksLow |= lowBit(top)
  forest.chunksHigh |= highBit(top)
  chunkLow[top] = low
  chunkHigh[top] = high
  chunkFee[top] = forest.topFee[slot]!
  chunkSize[top] = forest.topSize[slot]!
  chunkLow[bottom]! &= ~low
  chunkHigh[bottom]! &= ~high
  chunkFee[bottom]! -= chunkFee[top]!
  chunkSize[bottom]! -= chunkSize[top]!
  for (let tx = nextMember(low, high, 0); tx < WIDTH; tx = nextMember(low, high, tx + 1)) chunkOf[tx] = top
  adjustTops(forest, low, high, parent, bottom, -1)
  adjustTops(forest, chunkLow[bottom]!, chunkHigh[bottom]!, child, top, -1)
  return top
}

/** Returns a number from 0 to `limit` - 1 (xorshift). */
export const choice = (forest: Forest, limit: number): number => {
  let state = forest.random
  state ^= state << 13
  state ^= state >>> 17
  state ^= state << 5
  forest.random = state
  return (state >>> 0) % limit
}
