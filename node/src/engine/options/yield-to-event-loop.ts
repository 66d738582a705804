import * as Effect from "effect/Effect"

/** Milliseconds of work after which waiting messages get their turn. */
const LONGEST = 20

/** Yields to the event loop, so that the thread receives messages. */
export const yieldToEventLoop: Effect.Effect<void> = Effect.callback((resume) => {
  setImmediate(() => resume(Effect.void))
})

/**
 * Yields to the event loop if the last yield is some time ago; for the steps of a long task. It uses the machine's
 * clock, because the time for which the thread is busy counts.
 */
export const periodicYield = (): Effect.Effect<void> => {
  let last = performance.now()
  return Effect.suspend(() => {
    if (performance.now() - last < LONGEST) return Effect.void
    return Effect.andThen(
      yieldToEventLoop,
      Effect.sync(() => {
        last = performance.now()
      })
    )
  })
}
