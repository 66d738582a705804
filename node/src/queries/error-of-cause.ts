import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type CallError, callError } from "./call-error.ts"

/** Returns the error that ends a call. Logs defects; callers get an internal error in their place. */
export const errorOfCause = <E>(
  cause: Cause.Cause<E>,
  message: string,
  about: Readonly<Record<string, string>>
): Effect.Effect<E | CallError> => {
  const failure = Cause.findError(cause)
  return Result.isSuccess(failure)
    ? Effect.succeed(failure.success)
    : Effect.logError(message).pipe(
      Effect.annotateLogs({ category: "rpc", ...about, cause: Cause.pretty(cause) }),
      Effect.as(callError("Internal", "Internal error"))
    )
}
