import type { Milliseconds } from "../quantities.ts"

/**
 * How many changes one commit may have. A clean stop writes them all and has ten seconds for everything, and disks
 * differ: so the bound follows the duration of earlier commits.
 */
export interface CommitPace {
  changes: number
  /** Whether this is the pace of an empty store. False once something was committed. */
  isOfEmptyStore: boolean
}

const TARGET_MILLISECONDS = 3_000
const LEAST = 50_000
const MOST = 1_000_000
/** Below this many changes the time is no measure for many. */
const MEASURABLE = 20_000

/** Little while the speed of the disk is unknown: a stop may come before the first commit. */
const AT_FIRST = 250_000
/**
 * Into an empty store keys go in order, one page behind another, on any disk some times as fast as among millions of
 * coins.
 */
const INTO_NOTHING = 600_000

/** The pace of a store that is empty, or is not, before anything was committed. */
export const commitPace = (isEmpty: boolean): CommitPace => ({
  changes: isEmpty ? INTO_NOTHING : AT_FIRST,
  isOfEmptyStore: isEmpty
})

/** A commit of `changes` took so long. */
export const learn = (pace: CommitPace, changes: number, milliseconds: Milliseconds): void => {
  if (changes < MEASURABLE) return
  if (pace.isOfEmptyStore) pace.changes = AT_FIRST
  pace.isOfEmptyStore = false
  const fitting = changes * TARGET_MILLISECONDS / Math.max(milliseconds, 1)
  pace.changes = Math.round(Math.min(Math.max((pace.changes + fitting) / 2, LEAST), MOST))
}
