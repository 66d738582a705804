import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export type ShutdownReason = "graceful" | "signal" | "rpc" | "error"

/** The reason why the node stops; `message` is the cause if the reason is an error. */
export interface ShutdownRequest {
  readonly reason: ShutdownReason
  readonly message: string | undefined
}

/** Requests to stop the node; only the first one counts. */
export class Shutdown extends Context.Service<Shutdown, {
  readonly request: (reason: ShutdownReason, message?: string) => Effect.Effect<void>
  readonly requested: Effect.Effect<ShutdownRequest>
  /** Reports a failure while stopping, so that the process exits with an error code. */
  readonly failed: (message: string) => Effect.Effect<void>
  readonly failure: () => string | undefined
}>()("@node/lifecycle/Shutdown") {
  static readonly layer: Layer.Layer<Shutdown> = Layer.effect(
    Shutdown,
    Effect.gen(function*() {
      const first = yield* Deferred.make<ShutdownRequest>()
      let failure: string | undefined
      return Shutdown.of({
        request: (reason, message) => Effect.asVoid(Deferred.succeed(first, { reason, message })),
        requested: Deferred.await(first),
        failed: (message) => Effect.sync(() => void (failure ??= message)),
        failure: () => failure
      })
    })
  )
}
