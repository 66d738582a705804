import { compareFeerates } from "../feerate/compare.ts"
import { has, highBit, lowBit, nextMember, WIDTH } from "./bits.ts"
import type { Forest } from "./forest.ts"
import type { Problem } from "./problem.ts"

/** Pieces of chunks that cannot be split further without lowering a feerate. */
export interface Pieces {
  count: number
  readonly low: Int32Array
  readonly high: Int32Array
  readonly fee: Float64Array
  readonly size: Int32Array
  /** The piece and its ancestors in the cluster. */
  readonly ancestorsLow: Int32Array
  readonly ancestorsHigh: Int32Array
  /** Transactions that must go with each transaction or before it. */
  readonly boundLow: Int32Array
  readonly boundHigh: Int32Array
}

const words = (): Int32Array => new Int32Array(WIDTH)

export const emptyPieces = (): Pieces => ({
  count: 0,
  low: words(),
  high: words(),
  fee: new Float64Array(WIDTH),
  size: words(),
  ancestorsLow: words(),
  ancestorsHigh: words(),
  boundLow: words(),
  boundHigh: words()
})

const addPiece = (pieces: Pieces, problem: Problem, low: number, high: number): void => {
  const at = pieces.count++
  let fee = 0
  let size = 0
  let ancestorsLow = 0
  let ancestorsHigh = 0
  for (let tx = nextMember(low, high, 0); tx < WIDTH; tx = nextMember(low, high, tx + 1)) {
    fee += problem.fee[tx]!
    size += problem.size[tx]!
    ancestorsLow |= problem.ancestorsLow[tx]!
    ancestorsHigh |= problem.ancestorsHigh[tx]!
  }
  pieces.low[at] = low
  pieces.high[at] = high
  pieces.fee[at] = fee
  pieces.size[at] = size
  pieces.ancestorsLow[at] = ancestorsLow
  pieces.ancestorsHigh[at] = ancestorsHigh
}

/**
 * Binds each transaction of a chunk to its ancestors, and each parent to the child that pays for it. A top with the
 * chunk's own feerate is not paid for. Returns whether such a top exists.
 */
const bind = (pieces: Pieces, forest: Forest, problem: Problem, chunk: number): boolean => {
  const { boundHigh, boundLow } = pieces
  const low = forest.chunkLow[chunk]!
  const high = forest.chunkHigh[chunk]!
  let isFree = false
  for (let parent = nextMember(low, high, 0); parent < WIDTH; parent = nextMember(low, high, parent + 1)) {
    boundLow[parent] = problem.ancestorsLow[parent]! & low
    boundHigh[parent] = problem.ancestorsHigh[parent]! & high
    const childrenLow = forest.activeLow[parent]!
    const childrenHigh = forest.activeHigh[parent]!
    for (let child = nextMember(childrenLow, childrenHigh, 0); child < WIDTH;) {
      const slot = forest.slotOf[parent * WIDTH + child]!
      const { chunkFee, chunkSize, topFee, topSize } = forest
      if (compareFeerates(topFee[slot]!, topSize[slot]!, chunkFee[chunk]!, chunkSize[chunk]!) === 0) isFree = true
      else {
        boundLow[parent]! |= lowBit(child)
        boundHigh[parent]! |= highBit(child)
      }
      child = nextMember(childrenLow, childrenHigh, child + 1)
    }
  }
  return isFree
}

/** Makes the bonds of a chunk transitive. */
const close = ({ boundHigh, boundLow }: Pieces, low: number, high: number): void => {
  for (let via = nextMember(low, high, 0); via < WIDTH; via = nextMember(low, high, via + 1)) {
    for (let tx = nextMember(low, high, 0); tx < WIDTH; tx = nextMember(low, high, tx + 1)) {
      if (!has(boundLow[tx]!, boundHigh[tx]!, via)) continue
      boundLow[tx]! |= boundLow[via]!
      boundHigh[tx]! |= boundHigh[via]!
    }
  }
}

/**
 * Splits the chunks of a forest into pieces. A set that includes the ancestors of its members has the feerate of an
 * optimal chunk exactly if no child outside pays for a parent inside. So the pieces are the transactions bound to each
 * other in both directions, directly or indirectly. The result does not depend on which of the possible forests was
 * found.
 */
export const cutIntoPieces = (pieces: Pieces, forest: Forest, problem: Problem): void => {
  pieces.count = 0
  const { chunksHigh, chunksLow } = forest
  const { boundHigh, boundLow } = pieces
  for (let chunk = nextMember(chunksLow, chunksHigh, 0); chunk < WIDTH;) {
    let leftLow = forest.chunkLow[chunk]!
    let leftHigh = forest.chunkHigh[chunk]!
    const isFree = bind(pieces, forest, problem, chunk)
    if (isFree) close(pieces, leftLow, leftHigh)
    else {
      addPiece(pieces, problem, leftLow, leftHigh)
      leftLow = leftHigh = 0
    }
    while ((leftLow | leftHigh) !== 0) {
      const first = nextMember(leftLow, leftHigh, 0)
      let low = 0
      let high = 0
      for (let tx = first; tx < WIDTH; tx = nextMember(leftLow, leftHigh, tx + 1)) {
        const both = has(boundLow[tx]!, boundHigh[tx]!, first) && has(boundLow[first]!, boundHigh[first]!, tx)
        if (!both) continue
        low |= lowBit(tx)
        high |= highBit(tx)
      }
      addPiece(pieces, problem, low, high)
      leftLow &= ~low
      leftHigh &= ~high
    }
    chunk = nextMember(chunksLow, chunksHigh, chunk + 1)
  }
}
