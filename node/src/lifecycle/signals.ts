import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { acquireRelease } from "../finalizers/finalizers.ts"
import type { ShutdownReason } from "../runtime/shutdown.ts"

/** What signals do to the node. */
export interface SignalHandlers {
  /** SIGINT or SIGTERM: stop. */
  readonly stop: (reason: ShutdownReason, signal: NodeJS.Signals) => Effect.Effect<void>
  /** SIGHUP: close a rotated log file, and open the file anew. */
  readonly hangUp: Effect.Effect<void>
  /**
   * A further SIGINT or SIGTERM, when the stop has taken a while: end at once, with this exit code. None: the node ends
   * when it has stopped, whatever signals follow.
   */
  readonly force?: ((exitCode: number) => void) | undefined
}

/** Exit code of a process that a signal ended, as shells know it. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

type StopSignal = keyof typeof EXIT_CODES

const STOP_SIGNALS: ReadonlyArray<StopSignal> = ["SIGINT", "SIGTERM"]

/** Programs such as `timeout` send a signal to the process and to its group: the second is no wish of its own. */
const PATIENCE_MILLISECONDS = 3_000

const EARLY = "the node is stopping already; a signal that comes later than this ends it at once"

/**
 * Handles signals until the scope closes. The first one that stops is an orderly stop. One that comes a few seconds
 * later asks to end at once, where that is allowed; what is committed is safe anyway.
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
