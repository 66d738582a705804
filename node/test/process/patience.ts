import { availableParallelism, loadavg } from "node:os"

const SPIN_MS = 40

/** How many times longer work takes than its processor time: what others leave of a processor at this moment. */
const contention = (): number => {
  const before = process.cpuUsage()
  const start = performance.now()
  let used = 0
  while (used < SPIN_MS * 1_000) {
    const { system, user } = process.cpuUsage(before)
    used = user + system
  }
  return (performance.now() - start) / (used / 1_000)
}

/** How many programs wanted each processor in the last minute, as far as the system counts that. */
const crowding = (): number => loadavg()[0]! / availableParallelism()

/** How much longer than on a quiet machine things take here and now, at least 1. */
export const slowness = (measures: ReadonlyArray<number> = [contention(), crowding()]): number =>
  Math.max(1, ...measures)

/**
 * A deadline for a machine that may be busy: what a quiet one is granted, times what was measured. It only ends a test
 * that would never end; no test says by it how fast something is.
 */
export const patience = (quietMs: number, factor: number = slowness()): number => Math.ceil(quietMs * factor)
