import type { Milliseconds, Moment } from "../quantities.ts"
import { availableParallelism } from "node:os"
import { type ReadClock } from "../clock.ts"
import type { Use } from "./resource-limits.ts"

/** Looks that the use of processors is averaged over: some of it being busy for a moment is as it should be. */
const LOOKS = 6

interface Reading {
  /** Milliseconds. */
  readonly at: Moment
  /** Milliseconds of all processors together, since the process started. */
  readonly used: Milliseconds
}

/** What the process has used of all processors. */
export const readProcessors = (now: ReadClock) => (): Reading => {
  const { system, user } = process.cpuUsage()
  return { at: now(), used: (system + user) / 1_000 }
}

/**
 * Answers at each look how many milliseconds of a second were used on average over the last looks; none before there
 * are enough.
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
