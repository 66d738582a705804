import type { Seconds } from "../quantities.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { EventBus } from "../events/event-bus.ts"
import { FOR_FILE_ALONE } from "../log/log-record.ts"
import type { ShutdownRequest } from "../runtime/shutdown.ts"
import { isOneOutput } from "../standard-streams.ts"

const about = Effect.annotateLogs({ category: "node" })

/**
 * Stops everything, in the order of the contract: subscribers are notified and may clean up, data are written,
 * components stop in reverse order. Returns whether that was done in time. The reason for a failed start is not logged
 * here, because the command prints it last.
 */
export const stopNode = (
  components: Scope.Closeable,
  { message, reason }: ShutdownRequest,
  timeoutSeconds: Seconds,
  hasStarted: boolean
): Effect.Effect<boolean, never, EventBus> =>
  Effect.gen(function*() {
    const bus = yield* EventBus
    const started = yield* Clock.currentTimeMillis
    yield* reason === "error"
      ? Effect.logError(hasStarted ? "the node stops because of an error" : "the node does not start").pipe(
        Effect.annotateLogs({ reason, error: message ?? "", [FOR_FILE_ALONE]: !hasStarted && isOneOutput() }),
        about
      )
      : Effect.logInfo("the node stops").pipe(Effect.annotateLogs({ reason }), about)
    yield* bus.publish("NodeShutdown", { reason, timeout_seconds: timeoutSeconds })
    yield* bus.publish("DataMaintenance", {
      operation: "flush",
      urgency: "high",
      reason: "shutdown",
      timeout_seconds: timeoutSeconds
    })
    const outcome = reason === "error" ? Exit.fail(message) : Exit.void
    const closed = yield* Scope.close(components, outcome).pipe(
      // A component that fails to stop has its own error, which must not hide why the node stops.
      Effect.catchCause((cause) => Effect.logError("a part of the node did not end as it should", cause).pipe(about)),
      Effect.timeoutOption(`${timeoutSeconds} seconds`)
    )
    const duration = (yield* Clock.currentTimeMillis) - started
    if (closed._tag === "None") {
      yield* Effect.logError("the node did not stop in time; what is committed is safe").pipe(
        Effect.annotateLogs({ timeout_seconds: timeoutSeconds }),
        about
      )
      return false
    }
    yield* bus.publish("NodeShutdownCompleted", { duration_ms: duration })
    yield* Effect.logInfo("the node has stopped").pipe(Effect.annotateLogs({ duration_ms: duration }), about)
    return true
  })
