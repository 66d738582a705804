import type { Milliseconds } from "../../quantities.ts"
import * as Effect from "effect/Effect"

/** Fails with a refusal if an effect takes too long. */
export const within = <A, E>(
  effect: Effect.Effect<A, E>,
  milliseconds: Milliseconds,
  timeout: () => E
): Effect.Effect<A, E> => Effect.timeoutOrElse(effect, { duration: milliseconds, orElse: () => Effect.fail(timeout()) })
