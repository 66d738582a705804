import { compareFeerates } from "../feerate/compare.ts"
import { highBit, lowBit, nextMember, WIDTH } from "./bits.ts"
import type { Pieces } from "./pieces.ts"
import type { Problem } from "./problem.ts"

const greatestId = (problem: Problem, low: number, high: number): number => {
  let greatest = nextMember(low, high, 0)
  for (let tx = nextMember(low, high, greatest + 1); tx < WIDTH; tx = nextMember(low, high, tx + 1)) {
    if (problem.compareIds(tx, greatest) > 0) greatest = tx
  }
  return greatest
}

const comparePieces = (pieces: Pieces, problem: Problem, a: number, b: number): number =>
  compareFeerates(pieces.fee[b]!, pieces.size[b]!, pieces.fee[a]!, pieces.size[a]!) ||
  pieces.size[a]! - pieces.size[b]! ||
  problem.compareIds(
    greatestId(problem, pieces.low[a]!, pieces.high[a]!),
    greatestId(problem, pieces.low[b]!, pieces.high[b]!)
  )

const compareTransactions = (problem: Problem, a: number, b: number): number =>
  compareFeerates(problem.fee[b]!, problem.size[b]!, problem.fee[a]!, problem.size[a]!) ||
  problem.size[a]! - problem.size[b]! ||
  problem.compareIds(a, b)

/**
 * Appends the transactions of a piece to the order, each time the best one whose parents are in it. Returns the end.
 */
const emitPiece = (problem: Problem, low: number, high: number, order: Uint8Array, from: number): number => {
  const { ancestorsHigh, ancestorsLow } = problem
  let leftLow = low
  let leftHigh = high
  let end = from
  while ((leftLow | leftHigh) !== 0) {
    let best = -1
    for (let tx = nextMember(leftLow, leftHigh, 0); tx < WIDTH; tx = nextMember(leftLow, leftHigh, tx + 1)) {
      const waits = (ancestorsLow[tx]! & leftLow & ~lowBit(tx)) | (ancestorsHigh[tx]! & leftHigh & ~highBit(tx))
      if (waits === 0 && (best < 0 || compareTransactions(problem, tx, best) < 0)) best = tx
    }
    order[end++] = best
    leftLow &= ~lowBit(best)
    leftHigh &= ~highBit(best)
  }
  return end
}

/** Writes the order of all transactions, each time with the best piece whose ancestors are in it. */
export const emit = (pieces: Pieces, problem: Problem, order: Uint8Array): void => {
  const { count, high, low } = pieces
  // Transactions and pieces that are not in the order yet.
  let leftLow = 0
  let leftHigh = 0
  let dueLow = 0
  let dueHigh = 0
  for (let piece = 0; piece < count; piece++) {
    leftLow |= low[piece]!
    leftHigh |= high[piece]!
    dueLow |= lowBit(piece)
    dueHigh |= highBit(piece)
  }
  for (let end = 0; (dueLow | dueHigh) !== 0;) {
    let best = -1
    for (let piece = nextMember(dueLow, dueHigh, 0); piece < WIDTH; piece = nextMember(dueLow, dueHigh, piece + 1)) {
      const waits = (pieces.ancestorsLow[piece]! & leftLow & ~low[piece]!) |
        (pieces.ancestorsHigh[piece]! & leftHigh & ~high[piece]!)
      if (waits === 0 && (best < 0 || comparePieces(pieces, problem, piece, best) < 0)) best = piece
    }
    end = emitPiece(problem, low[best]!, high[best]!, order, end)
    leftLow &= ~low[best]!
    leftHigh &= ~high[best]!
    dueLow &= ~lowBit(best)
    dueHigh &= ~highBit(best)
  }
}
