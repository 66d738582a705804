import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import type * as Metric from "effect/Metric"

/** Counts fibers, and learns of those that a defect ended. */
export interface FiberCount {
  readonly metrics: Metric.FiberRuntimeMetricsService
  readonly running: () => number
}

export const fiberCount = (onDefect: (defect: string) => void): FiberCount => {
  let running = 0
  return {
    metrics: {
      recordFiberStart: () => {
        running++
      },
      recordFiberEnd: (_context, exit) => {
        running--
        if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) onDefect(Cause.pretty(exit.cause))
      }
    },
    running: () => running
  }
}
