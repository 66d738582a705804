import type { Height, Sats } from "@lockstep/kernel/quantities"
import { bucketBounds, bucketOf, feeratePerKvb } from "./buckets.ts"
import {
  addUnconfirmed,
  type Averages,
  emptyAverages,
  type Horizon,
  horizonWith,
  recordConfirmation,
  recordFailure,
  removeUnconfirmed,
  startBlock
} from "./horizon.ts"

/** Horizons in the order in which each block visits them and a file holds them. */
export const HORIZON_NAMES = ["medium", "short", "long"] as const

export type HorizonName = typeof HORIZON_NAMES[number]

/** The part that survives a restart. Heights are 0 if nothing was recorded. */
export interface FeeHistory {
  readonly bestHeight: Height
  /** The first and the last block that the averages come from. */
  readonly recordedFirst: number
  readonly recordedBest: number
  readonly bounds: Float64Array
  readonly horizons: Readonly<Record<HorizonName, Averages>>
}

/** A transaction whose confirmation the estimator awaits. */
interface Tracked {
  readonly height: Height
  readonly bucket: number
  readonly feerate: number
}

/** Feerates and delays of the transactions of past blocks. The functions of this file change it in place. */
export interface FeeEstimator {
  /** Height of the highest counted block. A reorganization does not lower it. */
  bestHeight: Height
  /** Height of the first block with a tracked transaction since the start; 0 if none. */
  firstRecorded: number
  /** The recorded blocks of the file that was read at the start; 0 if none. */
  readonly historicalFirst: number
  readonly historicalBest: number
  readonly bounds: Float64Array
  readonly horizons: Readonly<Record<HorizonName, Horizon>>
  readonly tracked: Map<string, Tracked>
  /**
   * True if no transaction was ever counted, in this run or in the file. All counts are then zero, and blocks leave
   * them so.
   */
  isEmpty: boolean
}

const noHistory = (): FeeHistory => {
  const bounds = bucketBounds()
  const horizons = {
    short: emptyAverages(0.962, 1, 12, bounds.length),
    medium: emptyAverages(0.9952, 2, 24, bounds.length),
    long: emptyAverages(0.99931, 24, 42, bounds.length)
  }
  return { bestHeight: 0, recordedFirst: 0, recordedBest: 0, bounds, horizons }
}

const isZero = (values: Float64Array): boolean => values.every((value) => value === 0)

const countsNothing = ({ confirmed, confirmedCounts, failed, feerateSums }: Averages): boolean =>
  isZero(confirmedCounts) && isZero(feerateSums) && confirmed.every(isZero) && failed.every(isZero)

/** Makes an estimator that continues from `history`. It takes ownership of its arrays. */
export const feeEstimator = (history: FeeHistory = noHistory()): FeeEstimator => ({
  bestHeight: history.bestHeight,
  firstRecorded: 0,
  historicalFirst: history.recordedFirst,
  historicalBest: history.recordedBest,
  bounds: history.bounds,
  horizons: {
    short: horizonWith(history.horizons.short),
    medium: horizonWith(history.horizons.medium),
    long: horizonWith(history.horizons.long)
  },
  tracked: new Map(),
  isEmpty: HORIZON_NAMES.every((name) => countsNothing(history.horizons[name]))
})

/** A transaction that entered the mempool. */
export interface EnteredTransaction {
  readonly txid: string
  /** Satoshis without the fee delta of prioritisation. */
  readonly fee: Sats
  readonly virtualSize: number
  /** Height of the tip when it entered. */
  readonly height: Height
  /** True if it came back from a disconnected block, which bypasses the limits of the mempool. */
  readonly bypassesLimits: boolean
  /** True if it was submitted as part of a package, even if it was accepted alone. */
  readonly isOfPackage: boolean
  /** True if it spends an output of a mempool transaction. */
  readonly hasMempoolParent: boolean
  /** True if the chain is up to date. A node that is behind would count every block as a delay. */
  readonly isChainCurrent: boolean
}

const horizonsOf = ({ horizons }: FeeEstimator): ReadonlyArray<Horizon> => HORIZON_NAMES.map((name) => horizons[name])

const isCounted = (transaction: EnteredTransaction): boolean =>
  !transaction.bypassesLimits && !transaction.isOfPackage && !transaction.hasMempoolParent &&
  transaction.isChainCurrent

/** Handles a transaction that entered the mempool: tracks it if its delay is evidence about its fee. */
export const transactionEntered = (estimator: FeeEstimator, transaction: EnteredTransaction): void => {
  const { fee, height, txid, virtualSize } = transaction
  // A height other than the best one is that of another branch, or of a reorganization.
  if (estimator.tracked.has(txid) || height !== estimator.bestHeight || !isCounted(transaction)) return
  const feerate = feeratePerKvb(fee, virtualSize)
  const bucket = bucketOf(estimator.bounds, feerate)
  estimator.tracked.set(txid, { height, bucket, feerate })
  estimator.isEmpty = false
  for (const horizon of horizonsOf(estimator)) addUnconfirmed(horizon, height, bucket)
}

const untrack = (estimator: FeeEstimator, txid: string): Tracked | undefined => {
  const tracked = estimator.tracked.get(txid)
  if (tracked === undefined) return undefined
  estimator.tracked.delete(txid)
  const { bucket, height } = tracked
  for (const horizon of horizonsOf(estimator)) {
    removeUnconfirmed(horizon, height, estimator.bestHeight - height, bucket)
  }
  return tracked
}

/** Handles a transaction that left the mempool for another reason than a block. */
export const transactionLeft = (estimator: FeeEstimator, txid: string): void => {
  const tracked = untrack(estimator, txid)
  if (tracked === undefined) return
  for (const horizon of horizonsOf(estimator)) {
    recordFailure(horizon, estimator.bestHeight - tracked.height, tracked.bucket)
  }
}

/** Handles a connected block. `txids` left the mempool for it, in block order, which decides the last bits of the sums. */
export const countConnectedBlock = (estimator: FeeEstimator, height: Height, txids: Iterable<string>): void => {
  // Blocks of a reorganization below the best height were counted on the other branch.
  if (height <= estimator.bestHeight) return
  estimator.bestHeight = height
  // True for most blocks of a test chain or of a node without peers: some thirty thousand zeros need not decay.
  if (estimator.isEmpty) return
  const horizons = horizonsOf(estimator)
  for (const horizon of horizons) startBlock(horizon, height)
  for (const txid of txids) {
    const tracked = untrack(estimator, txid)
    if (tracked === undefined) continue
    for (const horizon of horizons) {
      recordConfirmation(horizon, height - tracked.height, tracked.bucket, tracked.feerate)
    }
    if (estimator.firstRecorded === 0) estimator.firstRecorded = height
  }
}

/** Counts all unconfirmed transactions as failed when the node stops, because the file does not hold them. */
export const untrackAll = (estimator: FeeEstimator): void => {
  for (const txid of estimator.tracked.keys()) transactionLeft(estimator, txid)
}

/** Number of blocks since the start that the averages come from. */
export const recordedSpan = ({ bestHeight, firstRecorded }: FeeEstimator): number =>
  firstRecorded === 0 ? 0 : bestHeight - firstRecorded

/** Age of a file's averages in blocks after which they are discarded. */
const OLDEST_HISTORY = 6 * 1_008

/** Number of blocks that the averages of the file came from. */
export const historicalSpan = ({ bestHeight, historicalBest, historicalFirst }: FeeEstimator): number =>
  historicalFirst === 0 || bestHeight - historicalBest > OLDEST_HISTORY ? 0 : historicalBest - historicalFirst

/** Returns the part to save for the next start. It shares the arrays of the estimator. */
export const historyOf = (estimator: FeeEstimator): FeeHistory => {
  const { bestHeight, bounds, firstRecorded, historicalBest, historicalFirst, horizons } = estimator
  const isOwn = recordedSpan(estimator) > Math.floor(historicalSpan(estimator) / 2)
  const [recordedFirst, recordedBest] = isOwn ? [firstRecorded, bestHeight] : [historicalFirst, historicalBest]
  return { bestHeight, recordedFirst, recordedBest, bounds, horizons }
}
