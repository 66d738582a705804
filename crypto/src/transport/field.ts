import { secp256k1 } from "@noble/curves/secp256k1.js"

const { Fp } = secp256k1.Point

/** The field of secp256k1: p. */
export const FIELD = Fp.ORDER

/** The square root of -3 that is itself a square. */
export const ROOT_OF_MINUS_THREE = Fp.sqrt(FIELD - 3n)

/** The number of 0 to p - 1 that is congruent to it. */
export const reduced = (a: bigint): bigint => {
  const rest = a % FIELD
  return rest < 0n ? rest + FIELD : rest
}

/** The inverse; the number is not 0 modulo p. */
export const inverse = (a: bigint): bigint => Fp.inv(reduced(a))

/** The root that is itself a square, of a number that is one. */
export const squareRoot = (square: bigint): bigint => Fp.sqrt(square)

/** Whether a number has a square root, 0 included: its Jacobi symbol is not -1, and takes a third of the time of a root. */
export const isSquare = (number: bigint): boolean => {
  let [a, n, isResidue] = [reduced(number), FIELD, true]
  while (a !== 0n) {
    while ((a & 1n) === 0n) {
      a >>= 1n
      const low = n & 7n
      if (low === 3n || low === 5n) isResidue = !isResidue
    }
    if ((a & 3n) === 3n && (n & 3n) === 3n) isResidue = !isResidue
    const rest = n % a
    n = a
    a = rest
  }
  return isResidue
}

/** x³ + 7, whose root is y. */
export const curveSquare = (x: bigint): bigint => reduced(x * x % FIELD * x + 7n)

/** Whether a point of the curve has this x. */
export const isOnCurve = (x: bigint): boolean => isSquare(curveSquare(x))
