import { type Milliseconds, type UnixSeconds, unixSeconds } from "../../quantities.ts"
import * as EffectClock from "effect/Clock"
import * as Effect from "effect/Effect"

/** The clock of the engine. */
export interface Clock {
  /** Returns the time for rules and downloads. */
  readonly now: () => UnixSeconds
  /** Returns milliseconds since some moment, for intervals and durations. It ignores mock time and is never set back. */
  readonly elapsed: () => Milliseconds
  /** Returns the seconds that replace the machine's clock; 0 if none do. */
  readonly mockTime: () => number
  readonly setMockTime: (time: number) => void
}

const NANOSECONDS_PER_MILLISECOND = 1e6

/** Makes a clock that follows the clock of the fiber until a mock time is set. */
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
