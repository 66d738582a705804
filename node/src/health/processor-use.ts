import type { Milliseconds, Moment } from "../quantities.ts"
import { availableParallelism } from "node:os"
import { type ReadClock } from "../clock.ts"
import type { Use } from "./resource-limits.ts"

/** Number of checks that the use of processors is averaged over: a short peak is no fault. */
const LOOKS = 6

interface Reading {
  /** Time of the reading in milliseconds. */
  readonly at: Moment
  /** Processor time of all threads since the process started, in milliseconds. */
  readonly used: Milliseconds
}

/** Makes a function that reads the processor time of the process. */
export const readProcessors = (now: ReadClock) => (): Reading => {
  const { system, user } = process.cpuUsage()
  return { at: now(), used: (system + user) / 1_000 }
}

/**
 * Makes a function that returns, at each check, the milliseconds used per second on average over the last checks. It
 * returns `undefined` before enough checks.
 */
export const processorUse = (
  read: () => Reading,
  processors = availableParallelism()
): () => Use | undefined => {
  const readings: Array<Reading> = []
  return () => {
    const now = read()
    readings.push(now)
    if (readings.length <= LOOKS) return undefined
    const then = readings.shift()!
    const passed = Math.max(1, now.at - then.at)
    return { used: (now.used - then.used) / passed * 1_000, limit: processors * 1_000 }
  }
}
