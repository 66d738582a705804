import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { constants, monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import { acquireRelease } from "../finalizers/finalizers.ts"
import { type Histogram, histogramOf, observe, PAUSE_BOUNDS } from "./histogram.ts"

/** Figures of the calling thread, as plain data that crosses threads. */
export interface ThreadFigures {
  readonly heapUsed: number
  readonly heapLimit: number
  readonly external: number
  /** Event loop lag over the last window, in seconds. */
  readonly lag: { readonly median: number; readonly p99: number; readonly longest: number }
  /** Pauses by kind of garbage collection; only kinds that occurred. */
  readonly pauses: Readonly<Record<string, Histogram>>
}

/** Length of a window of the lag: a complete one is reported, another one is under way. */
const WINDOW_MS = 10_000
const RESOLUTION_MS = 10

const KINDS: ReadonlyMap<number, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_MINOR_MARK_SWEEP, "minor"],
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weak callbacks"]
])

/** A performance entry of a garbage collection, with its kind in `detail`. */
type GcEntry = PerformanceEntry & { readonly detail?: { readonly kind?: number } }

const watchPauses = (pauses: Record<string, Histogram>): PerformanceObserver => {
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail, duration } = entry as GcEntry
      const kind = KINDS.get(detail?.kind ?? 0) ?? "other"
      observe(pauses[kind] ??= histogramOf(PAUSE_BOUNDS), duration / 1_000)
    }
  })
  observer.observe({ entryTypes: ["gc"] })
  return observer
}

type Delay = ReturnType<typeof monitorEventLoopDelay>

/** Returns the lag beyond the usual delay of a timer that is due every few milliseconds. */
const late = (nanoseconds: number): number =>
  Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1_000) : 0

const lagIn = (delay: Delay): ThreadFigures["lag"] =>
  delay.count === 0
    ? { median: 0, p99: 0, longest: 0 }
    : { median: late(delay.percentile(50)), p99: late(delay.percentile(99)), longest: late(delay.max) }

/** Watches this thread until the scope closes. The result reads its figures. */
export const watchThread: Effect.Effect<() => ThreadFigures, never, Scope.Scope> = Effect.gen(function*() {
  const pauses: Record<string, Histogram> = {}
  const { delay } = yield* acquireRelease(
    Effect.sync(() => {
      const started = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
      started.enable()
      return { delay: started, observer: watchPauses(pauses) }
    }),
    (watched) =>
      Effect.sync(() => {
        watched.observer.disconnect()
        watched.delay.disable()
      })
  )
  let last: ThreadFigures["lag"] | undefined
  const nextWindow = Effect.sync(() => {
    last = lagIn(delay)
    delay.reset()
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(WINDOW_MS), nextWindow)))
  return () => {
    const { external_memory: external, heap_size_limit: heapLimit, used_heap_size: heapUsed } = getHeapStatistics()
    return { heapUsed, heapLimit, external, lag: last ?? lagIn(delay), pauses }
  }
})
