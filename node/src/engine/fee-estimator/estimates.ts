import { type FeeEstimator, historicalSpan, type HorizonName, recordedSpan } from "./fee-estimator.ts"
import { highestTarget } from "./horizon.ts"
import { covers, type MedianSearch, searchMedian } from "./median-search.ts"

/** Transactions per block that a range of buckets needs to be judged. */
const SUFFICIENT: Readonly<Record<HorizonName, number>> = { short: 0.5, medium: 0.1, long: 0.1 }

/** Shares of the transactions that must have confirmed within half the target, the target, and twice the target. */
const HALF_SHARE = 0.6
const SHARE = 0.85
const DOUBLE_SHARE = 0.95

/** Horizons from the quickest to react. The first that covers a target is used for it. */
const QUICKEST_FIRST = ["short", "medium", "long"] as const

type Estimate = number | undefined

const search = (estimator: FeeEstimator, name: HorizonName, target: number, successShare: number): MedianSearch =>
  searchMedian(estimator.horizons[name], estimator.bounds, estimator.bestHeight, {
    target,
    successShare,
    sufficient: SUFFICIENT[name]
  })

const median = (estimator: FeeEstimator, name: HorizonName, target: number, share: number): Estimate =>
  search(estimator, name, target, share).median

const higher = (a: Estimate, b: Estimate): Estimate => a === undefined || (b !== undefined && b > a) ? b : a

/**
 * Returns the estimate of the quickest horizon that covers the target. With `checkShorter`, the estimate of a quicker
 * one for its highest target counts if it is lower, because it holds for later targets as well.
 */
const combined = (estimator: FeeEstimator, target: number, share: number, checkShorter: boolean): Estimate => {
  const { horizons } = estimator
  const own = QUICKEST_FIRST.find((name) => covers(horizons[name], target))
  if (target < 1 || own === undefined) return undefined
  let estimate = median(estimator, own, target, share)
  if (!checkShorter) return estimate
  for (const name of ["medium", "short"] as const) {
    if (covers(horizons[name], target)) continue
    const other = median(estimator, name, highestTarget(horizons[name]), share)
    if (other !== undefined && other > 0 && (estimate === undefined || other < estimate)) estimate = other
  }
  return estimate
}

/** Returns the estimate of the horizons that are slower than the quickest one that covers the target. */
const conservativeEstimate = (estimator: FeeEstimator, target: number): Estimate => {
  const { horizons } = estimator
  const medium = covers(horizons.short, target) ? median(estimator, "medium", target, DOUBLE_SHARE) : undefined
  const long = covers(horizons.medium, target) ? median(estimator, "long", target, DOUBLE_SHARE) : undefined
  return higher(medium, long)
}

/** Satoshis per 1,000 virtual bytes, to the nearest; `undefined` for 0. Medians are not negative, so halves round up. */
const rounded = (estimate: Estimate): number | undefined => {
  const feerate = estimate === undefined ? 0 : Math.round(estimate)
  return feerate === 0 ? undefined : feerate
}

/** Half of the blocks that the averages come from. A delay that cannot have been seen twice is not estimated. */
const highestUsableTarget = (estimator: FeeEstimator): number =>
  Math.min(
    highestTarget(estimator.horizons.long),
    Math.floor(Math.max(recordedSpan(estimator), historicalSpan(estimator)) / 2)
  )

export interface SmartEstimate {
  /** Satoshis per 1,000 virtual bytes. */
  readonly feerate: number | undefined
  /** The target that the estimate is for. It is lower than the requested one if the data do not suffice. */
  readonly target: number
}

/**
 * Estimates the feerate at which a transaction should confirm within the target. Precondition: an integer of 1 or more.
 * A conservative estimate follows falling feerates later.
 */
export const smartEstimate = (estimator: FeeEstimator, wanted: number, isConservative: boolean): SmartEstimate => {
  if (wanted > highestTarget(estimator.horizons.long)) return { feerate: undefined, target: wanted }
  // A confirmation in the next block cannot be estimated.
  const target = Math.min(Math.max(wanted, 2), highestUsableTarget(estimator))
  if (target <= 1) return { feerate: undefined, target }
  const half = combined(estimator, Math.floor(target / 2), HALF_SHARE, true)
  const whole = combined(estimator, target, SHARE, true)
  const double = combined(estimator, 2 * target, DOUBLE_SHARE, !isConservative)
  const economical = higher(higher(half, whole), double)
  const isEnough = !isConservative && economical !== undefined
  const estimate = isEnough ? economical : higher(economical, conservativeEstimate(estimator, 2 * target))
  return { feerate: rounded(estimate), target }
}

export interface RawEstimate extends Pick<MedianSearch, "pass" | "fail"> {
  readonly feerate: number | undefined
  readonly decay: number
  readonly scale: number
}

/**
 * Returns the estimate of one horizon for a target, or `undefined` if it does not cover it. Precondition: an integer of
 * 1 or more.
 */
export const rawEstimate = (
  estimator: FeeEstimator,
  name: HorizonName,
  target: number,
  successShare: number
): RawEstimate | undefined => {
  const horizon = estimator.horizons[name]
  if (!covers(horizon, target)) return undefined
  const { fail, median: found, pass } = search(estimator, name, target, successShare)
  const { decay, scale } = horizon
  return { feerate: rounded(found), decay, scale, pass, fail }
}
