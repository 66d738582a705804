import type { Height } from "@lockstep/kernel/quantities"

/**
 * Confirmation delays of transactions, by feerate bucket. The averages decay with each block. A transaction that
 * confirmed after n blocks counts in every period from ⌈n / scale⌉ on.
 */
export interface Horizon {
  /** The factor by which an average decays with each block, between 0 and 1. */
  readonly decay: number
  /** Number of blocks in a period. */
  readonly scale: number
  /** Sums of the feerates of confirmed transactions, by bucket. */
  readonly feerateSums: Float64Array
  /** Numbers of confirmed transactions, by bucket. */
  readonly confirmedCounts: Float64Array
  /** Transactions that confirmed within 1, 2, … periods; one array by bucket for each. */
  readonly confirmed: ReadonlyArray<Float64Array>
  /** Transactions that left the mempool unconfirmed after 1, 2, … periods; one array by bucket for each. */
  readonly failed: ReadonlyArray<Float64Array>
  /** Transactions in the mempool, by the height of their entry modulo the highest target. */
  readonly unconfirmed: ReadonlyArray<Int32Array>
  /** Transactions that have been in the mempool for the highest target or longer. */
  readonly oldUnconfirmed: Int32Array
}

/** The averages of a horizon, which the file holds. */
export type Averages = Omit<Horizon, "unconfirmed" | "oldUnconfirmed">

/** The highest confirmation target, in blocks, that the horizon covers. */
export const highestTarget = ({ confirmed, scale }: Averages): number => confirmed.length * scale

const zeros = (rows: number, buckets: number): ReadonlyArray<Float64Array> =>
  Array.from({ length: rows }, () => new Float64Array(buckets))

/** Makes averages without any transaction. */
export const emptyAverages = (decay: number, scale: number, periods: number, buckets: number): Averages => ({
  decay,
  scale,
  feerateSums: new Float64Array(buckets),
  confirmedCounts: new Float64Array(buckets),
  confirmed: zeros(periods, buckets),
  failed: zeros(periods, buckets)
})

/** Makes a horizon with these averages and no unconfirmed transaction. */
export const horizonWith = (averages: Averages): Horizon => {
  const buckets = averages.confirmedCounts.length
  return {
    ...averages,
    unconfirmed: Array.from({ length: highestTarget(averages) }, () => new Int32Array(buckets)),
    oldUnconfirmed: new Int32Array(buckets)
  }
}

/** Records that a transaction entered the mempool at `height`. */
export const addUnconfirmed = ({ unconfirmed }: Horizon, height: Height, bucket: number): void => {
  unconfirmed[height % unconfirmed.length]![bucket]!++
}

/** Records that a transaction left the mempool, `age` blocks after its entry at `height`. Precondition: it was added. */
export const removeUnconfirmed = (horizon: Horizon, height: Height, age: number, bucket: number): void => {
  const { oldUnconfirmed, unconfirmed } = horizon
  const counts = age >= unconfirmed.length ? oldUnconfirmed : unconfirmed[height % unconfirmed.length]!
  counts[bucket]!--
}

/**
 * Records that a transaction left the mempool for another reason than a block. It failed for each whole period of its
 * stay.
 */
export const recordFailure = ({ failed, scale }: Horizon, age: number, bucket: number): void => {
  const periods = Math.min(Math.floor(age / scale), failed.length)
  for (let i = 0; i < periods; i++) failed[i]![bucket]!++
}

/** Records that a transaction confirmed after `blocks` blocks. Precondition: at least one. */
export const recordConfirmation = (horizon: Horizon, blocks: number, bucket: number, feerate: number): void => {
  const { confirmed, confirmedCounts, feerateSums, scale } = horizon
  for (let i = Math.ceil(blocks / scale); i <= confirmed.length; i++) confirmed[i - 1]![bucket]!++
  confirmedCounts[bucket]!++
  feerateSums[bucket]! += feerate
}

const decayed = (values: Float64Array, decay: number): void => {
  for (let i = 0; i < values.length; i++) values[i]! *= decay
}

/** Starts a block: entries of the height that last used this slot become old, and all averages decay. */
export const startBlock = (horizon: Horizon, height: Height): void => {
  const { decay, oldUnconfirmed, unconfirmed } = horizon
  const reused = unconfirmed[height % unconfirmed.length]!
  for (let i = 0; i < reused.length; i++) oldUnconfirmed[i]! += reused[i]!
  reused.fill(0)
  for (const values of [...horizon.confirmed, ...horizon.failed]) decayed(values, decay)
  decayed(horizon.feerateSums, decay)
  decayed(horizon.confirmedCounts, decay)
}
