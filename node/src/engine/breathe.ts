import * as Effect from "effect/Effect"

/** Milliseconds of work after which messages that came meanwhile have their turn. */
const LONGEST = 20

/** Lets the thread take in messages. */
export const breathe: Effect.Effect<void> = Effect.callback((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** Breathes when the last breath is a while ago: for the steps of a long task. */
export const breather = (): Effect.Effect<void> => {
  let last = performance.now()
  return Effect.suspend(() => {
    if (performance.now() - last < LONGEST) return Effect.void
    return Effect.andThen(breathe, Effect.sync(() => {
      last = performance.now()
    }))
  })
}
