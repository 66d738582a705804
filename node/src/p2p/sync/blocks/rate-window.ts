import type { Moment, Seconds } from "../../../quantities.ts"

/** Something that is counted, at one moment. Milliseconds. */
export interface ProgressCount {
  readonly at: Moment
  readonly blocks: number
  readonly inputs: number
  /** Share of the whole chain that is verified. */
  readonly done: number
}

/** How fast things went during the last while. */
export interface Rates {
  readonly blocksPerSecond: number
  readonly inputsPerSecond: number
  /** Seconds until everything is here if it goes on like this; none: there is no estimate. */
  readonly remaining: Seconds | undefined
}

/** Keeps counts of the last while. */
export interface RateWindow {
  readonly add: (count: ProgressCount) => void
  /** From the oldest count that is kept to this one. */
  readonly until: (count: ProgressCount) => Rates
  readonly clear: () => void
}

/** Counts this far apart, and so many. */
const INTERVAL = 1_000
const KEPT = 10

const perSecond = (gained: number, passed: number): number => passed <= 0 ? 0 : Math.max(0, gained) * 1_000 / passed

const remainingOf = (from: ProgressCount, to: ProgressCount): number | undefined => {
  const gained = to.done - from.done
  return gained <= 0 || to.at <= from.at ? undefined : Math.round((1 - to.done) / gained * (to.at - from.at) / 1_000)
}

/** An empty window. */
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
