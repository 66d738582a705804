import * as Effect from "effect/Effect"

/** Ends with a refusal where something takes too long. */
export const within = <A, E>(
  effect: Effect.Effect<A, E>,
  milliseconds: number,
  timeout: () => E
): Effect.Effect<A, E> => Effect.timeoutOrElse(effect, { duration: milliseconds, orElse: () => Effect.fail(timeout()) })
