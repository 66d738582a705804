import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"

/** An effect that is over already: what becomes of it is known without running anything. */
const exitOf = <A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> | undefined =>
  Exit.isExit(effect) ? effect as Exit.Exit<A, E> : undefined

/** What a function makes; what it throws is a defect. */
export const attempt = <A, E>(make: () => Effect.Effect<A, E>): Effect.Effect<A, E> => {
  try {
    return make()
  } catch (defect) {
    return Effect.die(defect)
  }
}

/** As `Effect.map`, at once where there is nothing to wait for. */
export const mapAtOnce = <A, B, E>(effect: Effect.Effect<A, E>, onSuccess: (value: A) => B): Effect.Effect<B, E> => {
  const exit = exitOf(effect)
  if (exit === undefined) return Effect.map(effect, onSuccess)
  return Exit.isSuccess(exit) ? attempt(() => Effect.succeed(onSuccess(exit.value))) : Exit.failCause(exit.cause)
}

/** As `Effect.match`, at once where there is nothing to wait for. */
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

/** Whether an effect has failed already, by a defect, which must be logged. */
export const hasEnded = <A, E>(effect: Effect.Effect<A, E>): "well" | "failed" | "defect" | undefined => {
  const exit = exitOf(effect)
  if (exit === undefined) return undefined
  if (Exit.isSuccess(exit)) return "well"
  return Result.isSuccess(Cause.findError(exit.cause)) ? "failed" : "defect"
}

/** The value of an effect that is over and went well. */
export const valueAtOnce = <A, E>(effect: Effect.Effect<A, E>): { readonly value: A } | undefined => {
  const exit = exitOf(effect)
  return exit !== undefined && Exit.isSuccess(exit) ? exit : undefined
}
