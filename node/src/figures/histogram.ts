import type { Seconds } from "../quantities.ts"

/** A histogram of durations: counts by upper bound, the total count, and the total duration. */
export interface Histogram {
  /** Upper bounds in seconds, ascending. */
  readonly bounds: ReadonlyArray<number>
  /** Counts for each bound alone, without those of lower bounds. */
  readonly counts: Array<number>
  count: number
  sum: number
}

export const histogramOf = (bounds: ReadonlyArray<number>): Histogram => ({
  bounds,
  counts: bounds.map(() => 0),
  count: 0,
  sum: 0
})

export const observe = (histogram: Histogram, seconds: Seconds): void => {
  histogram.count++
  histogram.sum += seconds
  const bucket = histogram.bounds.findIndex((bound) => seconds <= bound)
  if (bucket >= 0) histogram.counts[bucket]!++
}

export const PAUSE_BOUNDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]

export const CALL_BOUNDS = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30]

export const CONNECT_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
