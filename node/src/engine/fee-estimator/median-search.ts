import type { Height } from "@lockstep/kernel/quantities"
import { type Horizon, highestTarget } from "./horizon.ts"

/** Counts of the transactions whose feerates are in some adjacent buckets. */
export interface BucketRange {
  /** The feerate above which the range begins, and its highest feerate. */
  readonly start: number
  readonly end: number
  /** Number of transactions confirmed within the target, and number confirmed at all. */
  readonly withinTarget: number
  readonly totalConfirmed: number
  /** Number of transactions in the mempool for the target or longer. */
  readonly inMempool: number
  /** Number of transactions that left the mempool unconfirmed after the target. */
  readonly leftMempool: number
}

export interface MedianSearch {
  /** The median feerate of the cheapest range that passes. */
  readonly median: number | undefined
  readonly pass: BucketRange | undefined
  /** The range below that one, in which too few transactions confirmed or too few are known. */
  readonly fail: BucketRange | undefined
}

/** The demand on the history: this share of the transactions confirmed within the target. */
export interface Demand {
  readonly target: number
  /** Average number of transactions per block that a range needs to be judged. */
  readonly sufficient: number
  readonly successShare: number
}

/** Sums over the buckets of a range while it grows downwards. */
interface Sums {
  withinTarget: number
  totalConfirmed: number
  inMempool: number
  leftMempool: number
}

const noSums = (): Sums => ({ withinTarget: 0, totalConfirmed: 0, inMempool: 0, leftMempool: 0 })

interface Span {
  readonly lowest: number
  readonly highest: number
}

const rangeOf = (bounds: Float64Array, { highest, lowest }: Span, sums: Sums): BucketRange => ({
  start: lowest === 0 ? 0 : bounds[lowest - 1]!,
  end: bounds[highest]!,
  ...sums
})

/** Counts transactions that have been in the mempool for `target` blocks or longer, by bucket. */
const waitingCounts = ({ oldUnconfirmed, unconfirmed }: Horizon, target: number, height: Height): Int32Array => {
  const counts = Int32Array.from(oldUnconfirmed)
  for (let age = target; age < unconfirmed.length; age++) {
    // Heights below the age wrap around at 2³² first.
    const entered = unconfirmed[((height - age) >>> 0) % unconfirmed.length]!
    for (let bucket = 0; bucket < counts.length; bucket++) counts[bucket]! += entered[bucket]!
  }
  return counts
}

/** Returns the average feerate of the bucket that holds the "median" transaction of a range. */
const medianOf = ({ confirmedCounts, feerateSums }: Horizon, { highest, lowest }: Span): number | undefined => {
  let total = 0
  for (let bucket = lowest; bucket <= highest; bucket++) total += confirmedCounts[bucket]!
  if (total === 0) return undefined
  let rest = total / 2
  for (let bucket = lowest; bucket <= highest; bucket++) {
    if (confirmedCounts[bucket]! >= rest) return feerateSums[bucket]! / confirmedCounts[bucket]!
    rest -= confirmedCounts[bucket]!
  }
  return undefined
}

/**
 * Finds the lowest feerate at which transactions met the demand, from the highest bucket down. Adjacent buckets are
 * joined until they hold enough transactions. A range that fails keeps growing until it passes or no bucket remains.
 *
 * The order of additions is that of Bitcoin Core, because doubles must be equal to the last bit. Precondition: the
 * target is between 1 and the highest of the horizon.
 */
export const searchMedian = (
  horizon: Horizon,
  bounds: Float64Array,
  height: Height,
  { successShare, sufficient, target }: Demand
): MedianSearch => {
  const { confirmed, confirmedCounts, decay, failed, scale } = horizon
  const period = Math.ceil(target / scale) - 1
  const enough = sufficient / (1 - decay)
  const waiting = waitingCounts(horizon, target, height)
  let sums = noSums()
  let sinceCheck = 0
  let highest = bounds.length - 1
  let best: Span | undefined
  let passed: Sums | undefined
  let fail: BucketRange | undefined
  let isRangeOpen = false
  for (let bucket = bounds.length - 1; bucket >= 0; bucket--) {
    if (!isRangeOpen) highest = bucket
    isRangeOpen = true
    sums.withinTarget += confirmed[period]![bucket]!
    sinceCheck += confirmedCounts[bucket]!
    sums.totalConfirmed += confirmedCounts[bucket]!
    sums.leftMempool += failed[period]![bucket]!
    sums.inMempool += waiting[bucket]!
    if (sinceCheck < enough) continue
    sinceCheck = 0
    const span = { lowest: bucket, highest }
    if (sums.withinTarget / (sums.totalConfirmed + sums.leftMempool + sums.inMempool) < successShare) {
      fail ??= rangeOf(bounds, span, sums)
      continue
    }
    fail = undefined
    passed = sums
    best = span
    sums = noSums()
    isRangeOpen = false
  }
  // The rest at the end holds too few transactions to be judged.
  if (fail === undefined && isRangeOpen) fail = rangeOf(bounds, { lowest: 0, highest }, sums)
  const median = best === undefined ? undefined : medianOf(horizon, best)
  const pass = best === undefined || passed === undefined ? undefined : rangeOf(bounds, best, passed)
  return { median, pass, fail }
}

/** Reports whether the horizon covers a target. */
export const covers = (horizon: Horizon, target: number): boolean => target <= highestTarget(horizon)
