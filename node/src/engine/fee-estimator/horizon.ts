import type { Height } from "@lockstep/kernel/quantities"

/**
 * How quickly transactions confirmed, by bucket of their fee rate. The averages decay with each block; a transaction
 * that confirmed after n blocks counts in every period from ⌈n / scale⌉ on.
 */
export interface Horizon {
  /** The share of an average that a block leaves, between 0 and 1. */
  readonly decay: number
  /** Blocks of a period. */
  readonly scale: number
  /** Sums of the fee rates of confirmed transactions. */
  readonly feerateSums: Float64Array
  /** Numbers of confirmed transactions. */
  readonly confirmedCounts: Float64Array
  /** Those that confirmed within so many periods, one array each. */
  readonly confirmed: ReadonlyArray<Float64Array>
  /** Those that left the mempool unconfirmed after so many periods, one array each. */
  readonly failed: ReadonlyArray<Float64Array>
  /** Those that are in the mempool, by the height at which they entered modulo the highest target. */
  readonly unconfirmed: ReadonlyArray<Int32Array>
  /** Those that have been there for the highest target or longer. */
  readonly oldUnconfirmed: Int32Array
}

/** The averages of a horizon: what a file holds of it. */
export type Averages = Omit<Horizon, "unconfirmed" | "oldUnconfirmed">

/** The highest confirmation target, in blocks, that the horizon says something about. */
export const highestTarget = ({ confirmed, scale }: Averages): number => confirmed.length * scale

const zeros = (rows: number, buckets: number): ReadonlyArray<Float64Array> =>
  Array.from({ length: rows }, () => new Float64Array(buckets))

/** Averages of nothing. */
export const emptyAverages = (decay: number, scale: number, periods: number, buckets: number): Averages => ({
  decay,
  scale,
  feerateSums: new Float64Array(buckets),
  confirmedCounts: new Float64Array(buckets),
  confirmed: zeros(periods, buckets),
  failed: zeros(periods, buckets)
})

/** A horizon with these averages, and with an empty mempool. */
export const horizonWith = (averages: Averages): Horizon => {
  const buckets = averages.confirmedCounts.length
  return {
    ...averages,
    unconfirmed: Array.from({ length: highestTarget(averages) }, () => new Int32Array(buckets)),
    oldUnconfirmed: new Int32Array(buckets)
  }
}

/** A transaction entered the mempool at `height`. */
export const addUnconfirmed = ({ unconfirmed }: Horizon, height: Height, bucket: number): void => {
  unconfirmed[height % unconfirmed.length]![bucket]!++
}

/** A transaction left the mempool, `age` blocks after it entered at `height`. Precondition: it was added. */
export const removeUnconfirmed = (horizon: Horizon, height: Height, age: number, bucket: number): void => {
  const { oldUnconfirmed, unconfirmed } = horizon
  const counts = age >= unconfirmed.length ? oldUnconfirmed : unconfirmed[height % unconfirmed.length]!
  counts[bucket]!--
}

/** A transaction left the mempool for another reason than a block: it failed for each whole period that it waited. */
export const recordFailure = ({ failed, scale }: Horizon, age: number, bucket: number): void => {
  const periods = Math.min(Math.floor(age / scale), failed.length)
  for (let i = 0; i < periods; i++) failed[i]![bucket]!++
}

/** A transaction confirmed after `blocks` blocks. Precondition: at least one. */
export const recordConfirmation = (horizon: Horizon, blocks: number, bucket: number, feerate: number): void => {
  const { confirmed, confirmedCounts, feerateSums, scale } = horizon
  for (let i = Math.ceil(blocks / scale); i <= confirmed.length; i++) confirmed[i - 1]![bucket]!++
  confirmedCounts[bucket]!++
  feerateSums[bucket]! += feerate
}

const decayed = (values: Float64Array, decay: number): void => {
  for (let i = 0; i < values.length; i++) values[i]! *= decay
}

/** A block came: what entered at the height that its slot was last used for is old, and all averages decay. */
export const startBlock = (horizon: Horizon, height: Height): void => {
  const { decay, oldUnconfirmed, unconfirmed } = horizon
  const reused = unconfirmed[height % unconfirmed.length]!
  for (let i = 0; i < reused.length; i++) oldUnconfirmed[i]! += reused[i]!
  reused.fill(0)
  for (const values of [...horizon.confirmed, ...horizon.failed]) decayed(values, decay)
  decayed(horizon.feerateSums, decay)
  decayed(horizon.confirmedCounts, decay)
}
