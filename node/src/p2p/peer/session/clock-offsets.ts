import type { Seconds } from "../../../quantities.ts"

/** Number of recent outbound peers whose clocks count, connected or not (Core: `TimeOffsets`). */
const MOST = 50

/** Minimum number of samples; fewer say nothing about this machine's clock. */
const LEAST = 5

/** Seconds by which this machine's clock may be wrong. Beyond, blocks of others may seem to come from the future. */
const TOO_FAR = 10 * 60

/** Offsets of other nodes' clocks from this machine's. They are reported to the operator, and never used. */
export interface ClockOffsets {
  /** Adds the seconds by which the clock of a peer is ahead of this machine's. */
  readonly add: (seconds: Seconds) => void
  /** Median of the offsets in seconds; 0 while there are too few samples. */
  readonly median: () => number
  readonly isFarOff: () => boolean
}

export const clockOffsets = (): ClockOffsets => {
  const offsets: Array<number> = []
  const median = (): number =>
    offsets.length < LEAST ? 0 : offsets.toSorted((a, b) => a - b)[Math.floor(offsets.length / 2)]!
  return {
    add: (seconds) => {
      offsets.push(seconds)
      if (offsets.length > MOST) offsets.shift()
    },
    median,
    isFarOff: () => Math.abs(median()) > TOO_FAR
  }
}
