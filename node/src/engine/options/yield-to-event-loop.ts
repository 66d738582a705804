import * as Effect from "effect/Effect"

/** Milliseconds of work after which waiting messages have their turn. */
const LONGEST = 20

/** Yields to the event loop, so that the thread receives messages. */
export const yieldToEventLoop: Effect.Effect<void> = Effect.callback((resume) => {
  setImmediate(() => resume(Effect.void))
})

/**
 * Yields to the event loop when the last yield is a while ago: for the steps of a long task. It goes by the machine's
 * clock: what counts is how long the thread is held.
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
