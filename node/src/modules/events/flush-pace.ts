import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { monotonicClock } from "../../clock.ts"

/** Has `flush` called with others: at the end of this turn of the event loop, or a little later where much is sent. */
export type FlushSoon = (flush: () => void) => void

/** Rounds of writes that may follow one another without a pause. */
const ROUNDS_AT_ONCE = 20
/** Beyond them there is one round in so long: a write wakes a process, which costs the node more than what it writes. */
const PAUSE_MS = 50

/**
 * Paces the writes of events to all modules until the scope closes. Where events are rare each goes out at once. During a
 * synchronization, with hundreds each second, those of a short while go out together.
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
  /** When the last of the rounds that may follow at once has its pause behind it. */
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
