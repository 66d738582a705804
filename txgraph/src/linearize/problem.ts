import { highBit, lastMember, lowBit, nextMember, WIDTH } from "./bits.ts"

/**
 * A cluster to be linearized. Transactions are numbered in a topological order, and ancestors include the transaction
 * itself. {@link derive} computes descendants, parents and children.
 */
export interface Problem {
  count: number
  readonly fee: Float64Array
  readonly size: Int32Array
  readonly ancestorsLow: Int32Array
  readonly ancestorsHigh: Int32Array
  readonly descendantsLow: Int32Array
  readonly descendantsHigh: Int32Array
  /** Direct parents that are not also indirect ancestors. */
  readonly parentsLow: Int32Array
  readonly parentsHigh: Int32Array
  readonly childrenLow: Int32Array
  readonly childrenHigh: Int32Array
  /** Compares the txids of two transactions in raw byte order. */
  compareIds: (a: number, b: number) => number
}

const words = (): Int32Array => new Int32Array(WIDTH)

export const emptyProblem = (): Problem => ({
  count: 0,
  fee: new Float64Array(WIDTH),
  size: words(),
  ancestorsLow: words(),
  ancestorsHigh: words(),
  descendantsLow: words(),
  descendantsHigh: words(),
  parentsLow: words(),
  parentsHigh: words(),
  childrenLow: words(),
  childrenHigh: words(),
  compareIds: () => 0
})

/** Computes descendants, parents and children. */
export const derive = (problem: Problem): void => {
  const { ancestorsHigh, ancestorsLow, count } = problem
  const { childrenHigh, childrenLow, descendantsHigh, descendantsLow, parentsHigh, parentsLow } = problem
  for (let i = 0; i < count; i++) {
    const low = lowBit(i)
    const high = highBit(i)
    descendantsLow[i] = childrenLow[i] = parentsLow[i] = 0
    descendantsHigh[i] = childrenHigh[i] = parentsHigh[i] = 0
    for (let at = nextMember(ancestorsLow[i]!, ancestorsHigh[i]!, 0); at < WIDTH;) {
      descendantsLow[at]! |= low
      descendantsHigh[at]! |= high
      at = nextMember(ancestorsLow[i]!, ancestorsHigh[i]!, at + 1)
    }
    // The last of the remaining ancestors is not an ancestor of another one.
    let leftLow = ancestorsLow[i]! & ~low
    let leftHigh = ancestorsHigh[i]! & ~high
    for (let parent = lastMember(leftLow, leftHigh); parent >= 0; parent = lastMember(leftLow, leftHigh)) {
      parentsLow[i]! |= lowBit(parent)
      parentsHigh[i]! |= highBit(parent)
      childrenLow[parent]! |= low
      childrenHigh[parent]! |= high
      leftLow &= ~ancestorsLow[parent]!
      leftHigh &= ~ancestorsHigh[parent]!
    }
  }
}
