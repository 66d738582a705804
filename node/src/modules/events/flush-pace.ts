import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { monotonicClock } from "../../clock.ts"

/** Schedules `flush` together with others: at the end of this turn of the event loop, or later if much is sent. */
export type FlushSoon = (flush: () => void) => void

/** Rounds of writes that may follow each other without a pause. */
const ROUNDS_AT_ONCE = 20
/** Minimum time between further rounds. A write wakes a process, which costs the node more than the write itself. */
const PAUSE_MS = 50

/**
 * Paces the writes of events to all modules until the scope closes. If events are rare, each is sent at once. During a
 * synchronization, with hundreds each second, those of a short period are sent together.
 */
export const flushPace: Effect.Effect<FlushSoon, never, Scope.Scope> = Effect.gen(function*() {
  const now = yield* monotonicClock
  const due = new Set<() => void>()
  let wake: (() => void) | undefined
  const isAsked = Effect.callback<void>((resume) => {
    if (due.size > 0) return resume(Effect.void)
    wake = () => resume(Effect.void)
    return Effect.sync(() => {
      wake = undefined
    })
  })
  /** Time in milliseconds at which the pauses of all rounds so far are over. */
  let paidUntil = now()

  const round = Effect.suspend(() => {
    const time = now()
    paidUntil = Math.max(paidUntil, time) + PAUSE_MS
    const late = paidUntil - time - ROUNDS_AT_ONCE * PAUSE_MS
    return Effect.andThen(
      late > 0 ? Effect.sleep(late) : Effect.yieldNow,
      Effect.sync(() => {
        for (const flush of due) flush()
        due.clear()
      })
    )
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(isAsked, round)))
  return (flush) => {
    due.add(flush)
    wake?.()
    wake = undefined
  }
})
