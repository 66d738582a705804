import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type UnixMilliseconds, unixMilliseconds } from "./quantities.ts"

/** Reads a clock in milliseconds, without an effect. */
export type ReadClock = () => number

/** The fiber's wall clock: milliseconds since 1970, which may jump. */
export const wallClock: Effect.Effect<() => UnixMilliseconds> = Effect.map(
  Clock.Clock,
  (clock) => () => unixMilliseconds(clock.currentTimeMillisUnsafe())
)

/** The fiber's monotonic clock, from any origin: for durations, deadlines and rates. */
export const monotonicClock: Effect.Effect<ReadClock> = Effect.map(
  Clock.Clock,
  (clock) => () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
)
