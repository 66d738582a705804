import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { monotonicClock } from "../../clock.ts"

/** Runs periodic tasks. On a test network an operator can move them forward. */
export interface Scheduler {
  /** Milliseconds by which all tasks have been moved forward. A timer with its own clock adds them. */
  readonly ahead: () => number
  /**
   * Repeats a task until it is interrupted. Each run starts one interval after the end of the last one, or after this
   * call.
   */
  readonly every: (interval: Duration.Duration, task: Effect.Effect<void>) => Effect.Effect<never>
  /** Moves all tasks forward. Those that are due then run soon. */
  readonly moveForward: (milliseconds: number) => void
}

/** Makes a scheduler that follows the machine's clock and ignores mock time. */
export const makeScheduler: Effect.Effect<Scheduler> = Effect.map(monotonicClock, (elapsed) => {
  let ahead = 0
  const waiting = new Set<() => void>()
  const now = (): number => elapsed() + ahead
  const untilMoved: Effect.Effect<void> = Effect.callback((resume) => {
    const wake = (): void => resume(Effect.void)
    waiting.add(wake)
    return Effect.sync(() => void waiting.delete(wake))
  })
  const until = (due: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      const left = due - now()
      return left <= 0 ? Effect.void : Effect.andThen(Effect.raceFirst(Effect.sleep(left), untilMoved), until(due))
    })
  return {
    ahead: () => ahead,
    every: (interval, task) =>
      Effect.forever(Effect.andThen(Effect.suspend(() => until(now() + Duration.toMillis(interval))), task)),
    moveForward: (milliseconds) => {
      ahead += milliseconds
      // A task that is not due waits again within the call.
      const before = Array.from(waiting)
      for (const wake of before) wake()
    }
  }
})
