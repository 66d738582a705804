/** A fee rate with the weight of its transaction. */
export interface WeightedRate {
  readonly rate: number
  readonly weight: number
}

/** Percentiles of the block weight: 10, 25, 50, 75 and 90. */
const SHARES: ReadonlyArray<(weight: number) => number> = [
  (weight) => weight / 10,
  (weight) => weight / 4,
  (weight) => weight / 2,
  (weight) => weight * 3 / 4,
  (weight) => weight * 9 / 10
]

/** Returns the fee rates at these percentiles of the weight. */
export const feeRatePercentiles = (rates: ReadonlyArray<WeightedRate>, totalWeight: number): ReadonlyArray<number> => {
  const sorted = rates.toSorted((a, b) => a.rate - b.rate || a.weight - b.weight)
  let reached = 0
  let next = 0
  return SHARES.map((share) => {
    while (next < sorted.length && reached < share(totalWeight)) reached += sorted[next++]!.weight
    return sorted[Math.max(next - 1, 0)]?.rate ?? 0
  })
}

/** Returns the median, or the truncated mean of the middle two numbers, or 0 for an empty list. */
export const truncatedMedian = (numbers: ReadonlyArray<number>): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length === 0) return 0
  return sorted.length % 2 === 1 ? sorted[middle]! : Math.trunc((sorted[middle - 1]! + sorted[middle]!) / 2)
}
