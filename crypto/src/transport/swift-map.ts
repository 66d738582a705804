import { curveSquare, FIELD, inverse, isOnCurve, isSquare, reduced, ROOT_OF_MINUS_THREE, squareRoot } from "./field.ts"

const HALF = (FIELD + 1n) / 2n

/** What -3's root makes of a half: a third root of one, negated, and its square. */
const ONE_LESS = reduced((1n - ROOT_OF_MINUS_THREE) * HALF)
const ONE_MORE = reduced((1n + ROOT_OF_MINUS_THREE) * HALF)

/** The x that a pair of field elements stands for. Every pair stands for one: one of three candidates is on the curve. */
export const xOfPair = (first: bigint, second: bigint): bigint => {
  const u = reduced(first) || 1n
  let t = reduced(second) || 1n
  const g = curveSquare(u)
  if (reduced(g + t * t) === 0n) t = reduced(2n * t)
  const square = reduced(t * t)
  // X = (g - t²) / 2t, Y = (X + t) / (√-3·u), with one inversion for both quotients.
  const numerator = reduced(g - square)
  const below = reduced(g + square)
  const width = reduced(2n * t * ROOT_OF_MINUS_THREE % FIELD * u)
  const both = inverse(width * below)
  const y = reduced(below * below % FIELD * both)
  const first3 = reduced(u + 4n * y * y)
  if (isOnCurve(first3)) return first3
  const ratio = reduced(numerator * ROOT_OF_MINUS_THREE % FIELD * u % FIELD * width % FIELD * both)
  const second3 = reduced((-ratio - u) * HALF)
  return isOnCurve(second3) ? second3 : reduced((ratio - u) * HALF)
}

/** The v that solves x = x(u, v) and its s, by which of the three candidates x shall be. */
const solved = (x: bigint, u: bigint, branch: number): readonly [v: bigint, s: bigint] | undefined => {
  const g = curveSquare(u)
  if ((branch & 2) === 0) {
    if (isOnCurve(-x - u)) return undefined
    const divisor = reduced(u * u + u * x + x * x)
    const dividend = reduced(-g)
    return isSquare(dividend * divisor) ? [x, reduced(dividend * inverse(divisor))] : undefined
  }
  const s = reduced(x - u)
  if (s === 0n || !isSquare(s)) return undefined
  const square = reduced(-s * reduced(4n * g + 3n * s * u % FIELD * u))
  if (!isSquare(square)) return undefined
  const root = squareRoot(square)
  if ((branch & 1) === 1 && root === 0n) return undefined
  return [reduced((root * inverse(s) - u) * HALF), s]
}

/**
 * The second element of a pair that stands for `x` and has `u` as the first; nothing where there is none in this branch,
 * 0 to 7. No two branches have the same one.
 */
export const pairOfX = (x: bigint, u: bigint, branch: number): bigint | undefined => {
  const found = solved(x, u, branch)
  if (found === undefined) return undefined
  const [v, s] = found
  const root = squareRoot(s)
  const factor = reduced(u * ((branch & 1) === 0 ? ONE_LESS : ONE_MORE) + v)
  const isNegated = (branch & 5) === 0 || (branch & 5) === 5
  return reduced((isNegated ? -root : root) * factor)
}
