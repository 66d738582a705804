import { compareFeerates } from "../feerate/compare.ts"
import { WIDTH } from "./bits.ts"
import { emit } from "./emit.ts"
import { emptyForest, type Forest } from "./forest.ts"
import { emptySearch, growForest, type Search } from "./improve.ts"
import { cutIntoPieces, emptyPieces, type Pieces } from "./pieces.ts"
import { emptyGroups, type Groups, polish } from "./polish.ts"
import { derive, emptyProblem, type Problem } from "./problem.ts"

/** Working memory for linearizing one cluster, reused for the next one. */
export interface Linearizer {
  readonly problem: Problem
  readonly forest: Forest
  readonly search: Search
  readonly pieces: Pieces
  readonly groups: Groups
  /** The resulting order, as numbers of the problem. */
  readonly order: Uint8Array
  /** Chunks of that order: their number, and the exclusive end of each. */
  chunkCount: number
  readonly chunkEnd: Uint8Array
  readonly chunkFee: Float64Array
  readonly chunkSize: Int32Array
}

export const emptyLinearizer = (): Linearizer => ({
  problem: emptyProblem(),
  forest: emptyForest(),
  search: emptySearch(),
  pieces: emptyPieces(),
  groups: emptyGroups(),
  order: new Uint8Array(WIDTH),
  chunkCount: 0,
  chunkEnd: new Uint8Array(WIDTH),
  chunkFee: new Float64Array(WIDTH),
  chunkSize: new Int32Array(WIDTH)
})

/** Splits the order into chunks. A chunk absorbs its predecessor while its chunk feerate is higher. */
export const chunkOrder = (linearizer: Linearizer): void => {
  const { chunkEnd, chunkFee, chunkSize, order, problem } = linearizer
  let count = 0
  for (let place = 0; place < problem.count; place++) {
    const tx = order[place]!
    let fee = problem.fee[tx]!
    let size = problem.size[tx]!
    while (count > 0 && compareFeerates(fee, size, chunkFee[count - 1]!, chunkSize[count - 1]!) > 0) {
      count--
      fee += chunkFee[count]!
      size += chunkSize[count]!
    }
    chunkFee[count] = fee
    chunkSize[count] = size
    chunkEnd[count++] = place + 1
  }
  linearizer.chunkCount = count
}

/**
 * Linearizes the problem, never worse than the order of its numbers. Returns whether the result is optimal; if so, it
 * depends only on transactions and txids.
 */
export const linearize = (linearizer: Linearizer, budget: number): boolean => {
  const { forest, groups, order, pieces, problem, search } = linearizer
  if (problem.count === 1) {
    forest.cost = 1
    order[0] = 0
    chunkOrder(linearizer)
    return true
  }
  derive(problem)
  const isOptimal = growForest(forest, problem, search, budget)
  cutIntoPieces(pieces, forest, problem)
  emit(pieces, problem, order)
  polish(groups, problem, order)
  chunkOrder(linearizer)
  return isOptimal
}
