/** Below this, products of fee and size are exact. */
const EXACT = 2 ** 53
/** Fees are split here, so that a half times a size is exact: fees are below 2^53 and sizes below 2^26. */
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
 * Below 0 if the first feerate is lower, above 0 if it is higher, 0 if they are equal; exact. Rounding is monotone: only
 * products that are equal once rounded have to be compared in full.
 */
export const compareFeerates = (feeA: number, sizeA: number, feeB: number, sizeB: number): number => {
  const left = feeA * sizeB
  const right = feeB * sizeA
  if (left < right) return -1
  if (left > right) return 1
  if (left > -EXACT && left < EXACT) return 0
  return compareProducts(feeA, sizeB, feeB, sizeA)
}
