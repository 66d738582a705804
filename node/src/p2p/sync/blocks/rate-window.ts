import type { Moment, Seconds } from "../../../quantities.ts"

/** Counts at one moment, in milliseconds. */
export interface ProgressCount {
  readonly at: Moment
  readonly blocks: number
  readonly inputs: number
  /** Verified share of the whole chain, from 0 to 1. */
  readonly done: number
}

/** Rates over the recent past. */
export interface Rates {
  readonly blocksPerSecond: number
  readonly inputsPerSecond: number
  /** Estimated seconds until the sync is complete; `undefined` without an estimate. */
  readonly remaining: Seconds | undefined
}

/** Keeps the counts of the recent past. */
export interface RateWindow {
  readonly add: (count: ProgressCount) => void
  /** Returns the rates from the oldest kept count to this one. */
  readonly until: (count: ProgressCount) => Rates
  readonly clear: () => void
}

/** Minimum milliseconds between counts, and the number of counts kept. */
const INTERVAL = 1_000
const KEPT = 10

const perSecond = (gained: number, passed: number): number => passed <= 0 ? 0 : Math.max(0, gained) * 1_000 / passed

const remainingOf = (from: ProgressCount, to: ProgressCount): number | undefined => {
  const gained = to.done - from.done
  return gained <= 0 || to.at <= from.at ? undefined : Math.round((1 - to.done) / gained * (to.at - from.at) / 1_000)
}

/** Makes an empty window. */
export const rateWindow = (): RateWindow => {
  const counts: Array<ProgressCount> = []
  return {
    add: (count) => {
      const last = counts.at(-1)
      if (last !== undefined && count.at - last.at < INTERVAL) return
      counts.push(count)
      if (counts.length > KEPT) counts.shift()
    },
    until: (count) => {
      const from = counts[0] ?? count
      const passed = count.at - from.at
      return {
        blocksPerSecond: perSecond(count.blocks - from.blocks, passed),
        inputsPerSecond: perSecond(count.inputs - from.inputs, passed),
        remaining: remainingOf(from, count)
      }
    },
    clear: () => void counts.splice(0)
  }
}
