import { type Milliseconds, type UnixSeconds, unixSeconds } from "../../quantities.ts"
import * as EffectClock from "effect/Clock"
import * as Effect from "effect/Effect"

/** The time that the engine goes by. */
export interface Clock {
  /** For rules and downloads. */
  readonly now: () => UnixSeconds
  /** Milliseconds since some moment, for intervals and durations: no mock time changes it, and it is never set back. */
  readonly elapsed: () => Milliseconds
  /** Seconds that stand in for the machine's clock; 0: none do. */
  readonly mockTime: () => number
  readonly setMockTime: (time: number) => void
}

const NANOSECONDS_PER_MILLISECOND = 1e6

/** The clock of the fiber, until a mock time is set. */
export const engineClock = (mockTime = 0): Effect.Effect<Clock> =>
  Effect.map(EffectClock.Clock, (clock) => {
    let mocked = mockTime
    return {
      now: () => unixSeconds(mocked === 0 ? Math.floor(clock.currentTimeMillisUnsafe() / 1000) : mocked),
      elapsed: () => Number(clock.monotonicTimeNanosUnsafe()) / NANOSECONDS_PER_MILLISECOND,
      mockTime: () => mocked,
      setMockTime: (time) => {
        mocked = time
      }
    }
  })
