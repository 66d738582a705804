import * as EffectClock from "effect/Clock"
import * as Effect from "effect/Effect"

/** The time that the engine goes by. */
export interface Clock {
  /** Unix seconds, for rules and downloads. */
  readonly now: () => number
  /** Milliseconds since some moment, for intervals and durations: no mock time changes it, and it is never set back. */
  readonly elapsed: () => number
  /** Seconds that stand in for the machine's clock; 0: none do. */
  readonly mockTime: () => number
  readonly setMockTime: (seconds: number) => void
}

const NANOSECONDS_PER_MILLISECOND = 1e6

/** The clock of the fiber, until a mock time is set. */
export const engineClock = (mockTime = 0): Effect.Effect<Clock> =>
  Effect.map(EffectClock.Clock, (clock) => {
    let mocked = mockTime
    return {
      now: () => mocked === 0 ? Math.floor(clock.currentTimeMillisUnsafe() / 1000) : mocked,
      elapsed: () => Number(clock.monotonicTimeNanosUnsafe()) / NANOSECONDS_PER_MILLISECOND,
      mockTime: () => mocked,
      setMockTime: (seconds) => {
        mocked = seconds
      }
    }
  })
