import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { acquireRelease } from "../finalizers/finalizers.ts"
import type { ShutdownReason } from "../runtime/shutdown.ts"

/** Actions of the node on signals. */
export interface SignalHandlers {
  /** SIGINT or SIGTERM: stops the node. */
  readonly stop: (reason: ShutdownReason, signal: NodeJS.Signals) => Effect.Effect<void>
  /** SIGHUP: reopens a rotated log file. */
  readonly hangUp: Effect.Effect<void>
  /**
   * A further SIGINT or SIGTERM when the stop has taken a while: ends at once, with this exit code. If absent, the node
   * ends when it has stopped, whatever signals follow.
   */
  readonly force?: ((exitCode: number) => void) | undefined
}

/** Exit codes of processes that a signal ended, as shells report them. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

type StopSignal = keyof typeof EXIT_CODES

const STOP_SIGNALS: ReadonlyArray<StopSignal> = ["SIGINT", "SIGTERM"]

/** Time within which a second signal is ignored: programs such as `timeout` send one to the process and one to its group. */
const PATIENCE_MILLISECONDS = 3_000

const EARLY = "the node is stopping already; a signal that comes later than this ends it at once"

/**
 * Handles signals until the scope closes. The first one stops the node in order. One that comes a few seconds later
 * ends it at once, if that is allowed; committed data are safe anyway.
 */
export const handleSignals = (handlers: SignalHandlers): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const run = Effect.runForkWith(yield* Effect.context())
    let first: number | undefined
    const stopBy = (signal: StopSignal): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (first === undefined) {
          first = now
          return handlers.stop("signal", signal)
        }
        if (handlers.force === undefined) return Effect.void
        if (now - first >= PATIENCE_MILLISECONDS) return Effect.sync(() => handlers.force!(EXIT_CODES[signal]))
        return Effect.logInfo(EARLY).pipe(
          Effect.annotateLogs({ category: "node", signal, seconds: PATIENCE_MILLISECONDS / 1_000 })
        )
      })
    const listeners = STOP_SIGNALS.map((signal) => [signal, (): void => void run(stopBy(signal))] as const)
    const onHangUp = (): void => void run(handlers.hangUp)
    yield* acquireRelease(
      Effect.sync(() => {
        for (const [signal, listener] of listeners) process.on(signal, listener)
        process.on("SIGHUP", onHangUp)
      }),
      () =>
        Effect.sync(() => {
          for (const [signal, listener] of listeners) process.off(signal, listener)
          process.off("SIGHUP", onHangUp)
        })
    )
  })
