/** Below this, products of fee and size are exact. */
const EXACT = 2 ** 53
/** Splits a fee in two halves, each of whose products with a size is exact: fees are below 2^53, sizes below 2^26. */
const SPLIT = 2 ** 27

const compareProducts = (feeA: number, sizeB: number, feeB: number, sizeA: number): number => {
  const highA = Math.floor(feeA / SPLIT)
  const highB = Math.floor(feeB / SPLIT)
  const low = (feeA - highA * SPLIT) * sizeB - (feeB - highB * SPLIT) * sizeA
  const carry = Math.floor(low / SPLIT)
  const high = highA * sizeB - highB * sizeA + carry
  return high !== 0 ? Math.sign(high) : Math.sign(low - carry * SPLIT)
}

/**
 * Compares two feerates exactly: negative if the first is lower, positive if it is higher, 0 if they are equal.
 * Rounding is monotone, so only products with equal rounded values are compared in full.
 */
export const compareFeerates = (feeA: number, sizeA: number, feeB: number, sizeB: number): number => {
  const left = feeA * sizeB
  const right = feeB * sizeA
  if (left < right) return -1
  if (left > right) return 1
  if (left > -EXACT && left < EXACT) return 0
  return compareProducts(feeA, sizeB, feeB, sizeA)
}
