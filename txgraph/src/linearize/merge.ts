import { compareFeerates } from "../feerate/compare.ts"
import { memberCount, nextMember, WIDTH } from "./bits.ts"
import { activate, choice, type Forest } from "./forest.ts"
import type { Problem } from "./problem.ts"

const NONE = -1

/** Collects in `reached` the union of `low` and `high` over the transactions of a chunk, without the chunk itself. */
const reachedFrom = (
  forest: Forest,
  chunk: number,
  low: Int32Array,
  high: Int32Array,
  reached: Int32Array
): void => {
  const ownLow = forest.chunkLow[chunk]!
  const ownHigh = forest.chunkHigh[chunk]!
  let unionLow = 0
  let unionHigh = 0
  for (let tx = nextMember(ownLow, ownHigh, 0); tx < WIDTH; tx = nextMember(ownLow, ownHigh, tx + 1)) {
    unionLow |= low[tx]!
    unionHigh |= high[tx]!
    forest.cost++
  }
  reached[0] = unionLow & ~ownLow
  reached[1] = unionHigh & ~ownHigh
}

/** Activates one of the dependencies of chunk `lower` on chunk `upper`. There must be at least one. */
export const joinChunks = (forest: Forest, problem: Problem, lower: number, upper: number): number => {
  const { parentsHigh, parentsLow } = problem
  const upperLow = forest.chunkLow[upper]!
  const upperHigh = forest.chunkHigh[upper]!
  const low = forest.chunkLow[lower]!
  const high = forest.chunkHigh[lower]!
  let total = 0
  for (let tx = nextMember(low, high, 0); tx < WIDTH; tx = nextMember(low, high, tx + 1)) {
    total += memberCount(parentsLow[tx]! & upperLow, parentsHigh[tx]! & upperHigh)
    forest.cost++
  }
  let left = total === 1 ? 0 : choice(forest, total)
  for (let tx = nextMember(low, high, 0); tx < WIDTH; tx = nextMember(low, high, tx + 1)) {
    const candidatesLow = parentsLow[tx]! & upperLow
    const candidatesHigh = parentsHigh[tx]! & upperHigh
    for (let parent = nextMember(candidatesLow, candidatesHigh, 0); parent < WIDTH;) {
      if (left-- === 0) return activate(forest, parent, tx)
      parent = nextMember(candidatesLow, candidatesHigh, parent + 1)
    }
  }
  return lower
}

/**
 * Returns the chunk of `reached` with the lowest feerate not above that of `chunk` (`sign` 1), or with the highest one
 * not below it (-1). Chunks of equal feerate merge, too, since two of them could otherwise depend on each other.
 */
const furthest = (forest: Forest, chunk: number, reached: Int32Array, sign: number): number => {
  const { chunkFee, chunkHigh, chunkLow, chunkOf, chunkSize } = forest
  let best = NONE
  let fee = chunkFee[chunk]!
  let size = chunkSize[chunk]!
  let low = reached[0]!
  let high = reached[1]!
  while ((low | high) !== 0) {
    const other = chunkOf[nextMember(low, high, 0)]!
    low &= ~chunkLow[other]!
    high &= ~chunkHigh[other]!
    forest.cost++
    if (sign * compareFeerates(chunkFee[other]!, chunkSize[other]!, fee, size) > 0) continue
    best = other
    fee = chunkFee[other]!
    size = chunkSize[other]!
  }
  return best
}

/** Merges a chunk with chunks of no higher feerate that it depends on, until none is left. */
export const mergeUpwards = (forest: Forest, problem: Problem, chunk: number, reached: Int32Array): number => {
  for (let merged = chunk;;) {
    reachedFrom(forest, merged, problem.parentsLow, problem.parentsHigh, reached)
    const other = furthest(forest, merged, reached, 1)
    if (other === NONE) return merged
    merged = joinChunks(forest, problem, merged, other)
  }
}

/** Merges a chunk with chunks of no lower feerate that depend on it, until none is left. */
export const mergeDownwards = (forest: Forest, problem: Problem, chunk: number, reached: Int32Array): number => {
  for (let merged = chunk;;) {
    reachedFrom(forest, merged, problem.childrenLow, problem.childrenHigh, reached)
    const other = furthest(forest, merged, reached, -1)
    if (other === NONE) return merged
    merged = joinChunks(forest, problem, other, merged)
  }
}

/** Reports whether `lower` depends on `upper`. */
export const dependsOn = (
  forest: Forest,
  problem: Problem,
  lower: number,
  upper: number,
  reached: Int32Array
): boolean => {
  reachedFrom(forest, lower, problem.parentsLow, problem.parentsHigh, reached)
  return ((reached[0]! & forest.chunkLow[upper]!) | (reached[1]! & forest.chunkHigh[upper]!)) !== 0
}
