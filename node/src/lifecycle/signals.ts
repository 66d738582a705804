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
  /** A second SIGINT or SIGTERM: stop at once, with this exit code. */
  readonly force: (exitCode: number) => void
}

/** Exit code of a process that a signal ended, as shells know it. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

type StopSignal = keyof typeof EXIT_CODES

const STOP_SIGNALS: ReadonlyArray<StopSignal> = ["SIGINT", "SIGTERM"]

/**
 * Handles signals until the scope closes. The first one that stops is an orderly stop. The second asks to end at once;
 * what is committed is safe anyway.
 */
export const handleSignals = (handlers: SignalHandlers): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const run = Effect.runForkWith(yield* Effect.context())
    let stops = 0
    const onStop = (signal: StopSignal) => (): void => {
      stops++
      if (stops > 1) handlers.force(EXIT_CODES[signal])
      else run(handlers.stop("signal", signal))
    }
    const listeners = STOP_SIGNALS.map((signal) => [signal, onStop(signal)] as const)
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
