import type { Seconds } from "../../../quantities.ts"

/**
 * Clocks of the last so many nodes that we connected to count, whether they are still there or not: Core's TimeOffsets.
 */
const MOST = 50

/** Fewer say nothing about our clock. */
const LEAST = 5

/** Seconds that our clock may be wrong: then blocks of others may seem to come from the future. */
const TOO_FAR = 10 * 60

/** What clocks of other nodes say about this machine's. It is reported to the operator, and never used. */
export interface ClockOffsets {
  /** Seconds that the clock of a peer is ahead of this machine's. */
  readonly add: (seconds: Seconds) => void
  /** The one in the middle; 0 while there are few. */
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
