import type { ScriptJob } from "@lockstep/kernel/connect"

/** First jobs of the ranges; the last number is the end of the last range. */
export type RangeStarts = ReadonlyArray<number>

/**
 * Largest cost of a range, about a millisecond. Claiming one costs a few microseconds, and other workers may idle that
 * long at the end.
 */
const LARGEST = 64

/** Below this cost sending a range to another thread takes longer than it saves. */
const SMALLEST = 8

/** Number of ranges of a small block for each worker, so that no worker is left with one expensive range. */
const RANGES_PER_WORKER = 4

/** Approximate cost of a job: its inputs and its size, because multisig signatures and long scripts add to it. */
const costOf = ({ tx }: ScriptJob): number => tx.inputs.length + (tx.bytes.length >> 7)

/** Reports whether a job's transaction directly follows another's in memory: a range is read in one piece. */
const follows = ({ tx: { bytes } }: ScriptJob, { tx: { bytes: before } }: ScriptJob): boolean =>
  bytes.byteOffset === before.byteOffset + before.length

/**
 * Splits `jobs` into ranges of about equal cost and the same flags, whose transactions are contiguous in memory.
 * Precondition: `jobs` is not empty.
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
