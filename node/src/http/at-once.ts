import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"

/** Returns the exit of an effect that has already finished, or `undefined` for an effect that must be run. */
const exitOf = <A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> | undefined =>
  Exit.isExit(effect) ? effect as Exit.Exit<A, E> : undefined

/** Returns the effect that a function makes. An exception of the function becomes a defect. */
export const attempt = <A, E>(make: () => Effect.Effect<A, E>): Effect.Effect<A, E> => {
  try {
    return make()
  } catch (defect) {
    return Effect.die(defect)
  }
}

/** Maps like `Effect.map`, at once if the effect has already finished. */
export const mapAtOnce = <A, B, E>(effect: Effect.Effect<A, E>, onSuccess: (value: A) => B): Effect.Effect<B, E> => {
  const exit = exitOf(effect)
  if (exit === undefined) return Effect.map(effect, onSuccess)
  return Exit.isSuccess(exit) ? attempt(() => Effect.succeed(onSuccess(exit.value))) : Exit.failCause(exit.cause)
}

/** Matches like `Effect.match`, at once if the effect has already finished. */
export const matchAtOnce = <A, B, E>(
  effect: Effect.Effect<A, E>,
  to: { readonly onFailure: (error: E) => B; readonly onSuccess: (value: A) => B }
): Effect.Effect<B> => {
  const exit = exitOf(effect)
  if (exit === undefined) return Effect.match(effect, to)
  if (Exit.isSuccess(exit)) return attempt(() => Effect.succeed(to.onSuccess(exit.value)))
  const failure = Cause.findError(exit.cause)
  return Result.isSuccess(failure)
    ? attempt(() => Effect.succeed(to.onFailure(failure.success)))
    : Effect.match(effect, to)
}

/** Returns how an effect has ended, or `undefined` if it must be run. A defect must be logged. */
export const hasEnded = <A, E>(effect: Effect.Effect<A, E>): "well" | "failed" | "defect" | undefined => {
  const exit = exitOf(effect)
  if (exit === undefined) return undefined
  if (Exit.isSuccess(exit)) return "well"
  return Result.isSuccess(Cause.findError(exit.cause)) ? "failed" : "defect"
}

/** Returns the value of an effect that has already succeeded, or `undefined` otherwise. */
export const valueAtOnce = <A, E>(effect: Effect.Effect<A, E>): { readonly value: A } | undefined => {
  const exit = exitOf(effect)
  return exit !== undefined && Exit.isSuccess(exit) ? exit : undefined
}
