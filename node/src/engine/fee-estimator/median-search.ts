import type { Height } from "@lockstep/kernel/quantities"
import { type Horizon, highestTarget } from "./horizon.ts"

/** What is known of transactions whose fee rates are in some adjacent buckets. */
export interface BucketRange {
  /** The fee rate above which it begins, and its highest one. */
  readonly start: number
  readonly end: number
  /** Confirmed within the target, and at all. */
  readonly withinTarget: number
  readonly totalConfirmed: number
  /** In the mempool for as long as the target or longer. */
  readonly inMempool: number
  /** Left the mempool unconfirmed after the target. */
  readonly leftMempool: number
}

export interface MedianSearch {
  /** The median fee rate of the cheapest range that passes. */
  readonly median: number | undefined
  readonly pass: BucketRange | undefined
  /** The range below that one in which too few confirmed, or too little is known. */
  readonly fail: BucketRange | undefined
}

/** What is asked of the history: that this share of the transactions confirmed within the target. */
export interface Demand {
  readonly target: number
  /** Transactions per block, on average, that a range needs to be judged. */
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

/** Transactions that have been in the mempool for `target` blocks or longer, by bucket. */
const waitingCounts = ({ oldUnconfirmed, unconfirmed }: Horizon, target: number, height: Height): Int32Array => {
  const counts = Int32Array.from(oldUnconfirmed)
  for (let age = target; age < unconfirmed.length; age++) {
    // Heights below the age wrap around at 2³² first.
    const entered = unconfirmed[((height - age) >>> 0) % unconfirmed.length]!
    for (let bucket = 0; bucket < counts.length; bucket++) counts[bucket]! += entered[bucket]!
  }
  return counts
}

/** The "median" transaction of a range: the average fee rate of the bucket in which half of them is reached. */
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
 * The lowest fee rate at which transactions met the demand, searched from the highest bucket down. Adjacent buckets are
 * joined until they hold enough transactions; a range that fails goes on growing until it passes or nothing is left.
 *
 * The order of additions is that of Bitcoin Core, as doubles must be equal to the last bit. Precondition: the target is
 * between 1 and the highest of the horizon.
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
  // What is left at the end holds too little to be judged.
  if (fail === undefined && isRangeOpen) fail = rangeOf(bounds, { lowest: 0, highest }, sums)
  const median = best === undefined ? undefined : medianOf(horizon, best)
  const pass = best === undefined || passed === undefined ? undefined : rangeOf(bounds, best, passed)
  return { median, pass, fail }
}

/** Whether the horizon says something about a target. */
export const covers = (horizon: Horizon, target: number): boolean => target <= highestTarget(horizon)
