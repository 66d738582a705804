import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Random } from "../../../src/p2p/basics/environment.ts"
import { virtualClock, type VirtualClock } from "../../../src/p2p/transport/virtual/virtual-clock.ts"
import { atRest } from "./at-rest.ts"

/** The only time there is in a simulation. */
export interface VirtualTime {
  readonly clock: VirtualClock
  /** The same time for everything that sleeps. */
  readonly effectClock: Clock.Clock
  /** How many wait for a time to come. */
  readonly sleepers: () => number
  /**
   * Lets so many milliseconds pass; whenever something was due, all that follows from it is done before time goes on.
   */
  readonly pass: (milliseconds: number, isOver?: () => boolean) => Promise<void>
  /** Gives the machine its own clocks back. */
  readonly end: () => void
}

const NANOSECONDS = 1_000_000n

/**
 * Time that stands still while there is work. The machine's clocks show it too, so that nothing is decided by how quick
 * this machine is; `slowness`: milliseconds that a look at the clock seems to take at most, drawn from chance, so that
 * work which is cut in pieces by the clock is cut at other places for every seed.
 */
export const virtualTime = (start: number, random: Random, slowness: number): VirtualTime => {
  const clock = virtualClock(start)
  let sleeping = 0
  let shown = start
  const millis = (): number => clock.now()
  const nanos = (): bigint => BigInt(Math.floor(clock.now())) * NANOSECONDS
  const sleep = (duration: Duration.Duration): Effect.Effect<void> =>
    Effect.callback((resume) => {
      sleeping++
      const wake = (): void => {
        sleeping--
        resume(Effect.void)
      }
      const rollBack = clock.after(Duration.toMillis(duration), wake)
      return Effect.sync(() => {
        sleeping--
        rollBack()
      })
    })

  const machine = { dateNow: Date.now, performanceNow: performance.now }
  Date.now = () => Math.floor(clock.now())
  performance.now = () => {
    shown = Math.max(shown, clock.now()) + (slowness === 0 ? 0 : random.below(slowness * 100) / 100)
    return shown - start
  }

  return {
    clock,
    effectClock: {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep
    },
    sleepers: () => sleeping,
    pass: async (milliseconds, isOver = () => false) => {
      const until = clock.now() + milliseconds
      for (let at = clock.nextAt(); at !== undefined && at <= until && !isOver(); at = clock.nextAt()) {
        clock.advanceTo(at)
        await atRest()
      }
      if (!isOver()) clock.advanceTo(until)
    },
    end: () => {
      Date.now = machine.dateNow
      performance.now = machine.performanceNow
    }
  }
}
