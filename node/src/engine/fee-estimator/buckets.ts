/** Feerates of the buckets in satoshis per 1,000 virtual bytes: the lowest bound, and the factor between two bounds. */
const LOWEST_BOUND = 100
const HIGHEST_BOUND = 1e7
const SPACING = 1.05

/** The bound of the bucket for all higher feerates. */
const NO_BOUND = 1e99

/**
 * Returns the inclusive upper bounds of the buckets, ascending. They come from repeated multiplication: a power would
 * differ in the last bits, and the bounds are part of the file.
 */
export const bucketBounds = (): Float64Array => {
  const bounds: Array<number> = []
  for (let bound = LOWEST_BOUND; bound <= HIGHEST_BOUND; bound *= SPACING) bounds.push(bound)
  return Float64Array.of(...bounds, NO_BOUND)
}

/** Returns the first bucket whose bound is not below `feerate`, or the last bucket. */
export const bucketOf = (bounds: Float64Array, feerate: number): number => {
  let low = 0
  let high = bounds.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (bounds[middle]! < feerate) low = middle + 1
    else high = middle
  }
  return low
}

/** Feerate in satoshis per 1,000 virtual bytes, rounded down. A double, exact below 2⁵³. */
export const feeratePerKvb = (fee: bigint, virtualSize: number): number => Number((fee * 1_000n) / BigInt(virtualSize))
