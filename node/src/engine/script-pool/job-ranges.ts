import type { ScriptJob } from "@lockstep/kernel/connect"

/** Where ranges of jobs start; the last number is where the last range ends. */
export type RangeStarts = ReadonlyArray<number>

/**
 * A range of this cost takes about a millisecond: taking it costs a few microseconds, and that long may others idle at
 * the end.
 */
const LARGEST = 64

/** Below this cost sending a range to another thread takes longer than it saves. */
const SMALLEST = 8

/**
 * Every worker should have this many ranges of a small block, so that none has the only expensive one and nothing else.
 */
const RANGES_PER_WORKER = 4

/** About what verifying a job costs: its inputs, and its size, as signatures of multisig and long scripts add to it. */
const costOf = ({ tx }: ScriptJob): number => tx.inputs.length + (tx.bytes.length >> 7)

/** Whether a job's transaction lies right behind another's: a range is read in one go. */
const follows = ({ tx: { bytes } }: ScriptJob, { tx: { bytes: before } }: ScriptJob): boolean =>
  bytes.byteOffset === before.byteOffset + before.length

/**
 * Splits `jobs` into ranges of about equal cost and the same flags, whose transactions lie one behind another.
 * Precondition: there is a job.
 */
export const rangesOf = (jobs: ReadonlyArray<ScriptJob>, workers: number): RangeStarts => {
  let total = 0
  for (const job of jobs) total += costOf(job)
  const target = Math.min(LARGEST, Math.max(SMALLEST, total / (workers * RANGES_PER_WORKER)))
  const starts = [0]
  let cost = 0
  for (let i = 0; i < jobs.length; i++) {
    const job = jobs[i]!
    const before = jobs[i - 1]
    if (before !== undefined && (cost >= target || job.flags !== before.flags || !follows(job, before))) {
      starts.push(i)
      cost = 0
    }
    cost += costOf(job)
  }
  starts.push(jobs.length)
  return starts
}
