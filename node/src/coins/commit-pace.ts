import type { Milliseconds } from "../quantities.ts"

/**
 * Maximum number of changes in one commit. A clean stop writes them all and has ten seconds in total, and disks differ.
 * So the maximum follows the duration of earlier commits.
 */
export interface CommitPace {
  changes: number
  /** True for an empty store. False after the first commit. */
  isOfEmptyStore: boolean
}

const TARGET_MILLISECONDS = 3_000
const LEAST = 50_000
const MOST = 1_000_000
/** Below this many changes the duration says nothing about larger commits. */
const MEASURABLE = 20_000

/** Small while the speed of the disk is unknown: a stop may come before the first commit. */
const AT_FIRST = 250_000
/**
 * An empty store gets its keys in order, page after page. On any disk that is some times as fast as among millions of
 * coins.
 */
const INTO_NOTHING = 600_000

/** Makes the pace of an empty or filled store before the first commit. */
export const commitPace = (isEmpty: boolean): CommitPace => ({
  changes: isEmpty ? INTO_NOTHING : AT_FIRST,
  isOfEmptyStore: isEmpty
})

/** Learns from the duration of a commit of `changes`. */
export const learn = (pace: CommitPace, changes: number, milliseconds: Milliseconds): void => {
  if (changes < MEASURABLE) return
  if (pace.isOfEmptyStore) pace.changes = AT_FIRST
  pace.isOfEmptyStore = false
  const fitting = changes * TARGET_MILLISECONDS / Math.max(milliseconds, 1)
  pace.changes = Math.round(Math.min(Math.max((pace.changes + fitting) / 2, LEAST), MOST))
}
