import type { FeeFrac } from "../contract.ts"
import { compareFeerates } from "./compare.ts"

/** Relation of two diagrams. `better` is nowhere below the other one, and somewhere above it. */
export type DiagramOrder = "better" | "worse" | "equal" | "incomparable"

/** Sorts chunks in the order of a diagram: highest feerate first, the smaller one first among equals. */
export const byFeerate = (a: FeeFrac, b: FeeFrac): number =>
  compareFeerates(b.fee, b.size, a.fee, a.size) || a.size - b.size

interface Sides {
  readonly above: boolean
  readonly below: boolean
}

/** Returns the sides of diagram `b` on which breakpoints of diagram `a` lie. */
const breakpointsAgainst = (a: ReadonlyArray<FeeFrac>, b: ReadonlyArray<FeeFrac>): Sides => {
  let above = false
  let below = false
  let fee = 0
  let size = 0
  let at = 0
  let startFee = 0
  let startSize = 0
  for (const chunk of a) {
    fee += chunk.fee
    size += chunk.size
    while (at < b.length && startSize + b[at]!.size <= size) {
      startFee += b[at]!.fee
      startSize += b[at]!.size
      at++
    }
    const segment = b[at]
    const side = segment === undefined || startSize === size
      ? fee - startFee
      : compareFeerates(fee - startFee, size - startSize, segment.fee, segment.size)
    if (side > 0) above = true
    if (side < 0) below = true
  }
  return { above, below }
}

/**
 * Compares two feerate diagrams, given as chunks with the best first. A diagram is the curve of accumulated fees over
 * accumulated sizes, horizontal after its end.
 */
export const compareDiagrams = (a: ReadonlyArray<FeeFrac>, b: ReadonlyArray<FeeFrac>): DiagramOrder => {
  const first = breakpointsAgainst(a, b)
  const second = breakpointsAgainst(b, a)
  const better = first.above || second.below
  const worse = first.below || second.above
  if (better && worse) return "incomparable"
  if (better) return "better"
  return worse ? "worse" : "equal"
}
