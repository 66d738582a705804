import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { failureText } from "../engine-client/chain.ts"
import type { NodeConfig } from "../config/config.ts"
import { NETWORK_TABLE } from "../config/network-table.ts"
import { EventBus } from "../events/event-bus.ts"
import { logEvents } from "../log/log-events.ts"
import { Log, logLayer } from "../log/log-layer.ts"
import { RunningModules } from "../modules/lifecycle/running-modules.ts"
import { RunningNetwork } from "../p2p/layer/running-network.ts"
import type { LifecycleHooks } from "./lifecycle-hooks.ts"
import { exitImmediately } from "./exit-immediately.ts"
import { NodeFailure } from "./node-failure.ts"
import { Shutdown } from "../runtime/shutdown.ts"
import { handleSignals } from "./signals.ts"
import { startComponents } from "./start-components.ts"
import { StartupStage } from "../runtime/startup-stage.ts"
import { configLoaded } from "../config/config-loaded.ts"
import { stopNode } from "./stop-node.ts"
import { type CrashWitness, crashWitness } from "./crash-witness.ts"

/** Returns the network's name with a capital, such as `Mainnet`. */
const titleOf = ({ network }: NodeConfig): string => {
  const { option } = NETWORK_TABLE[network]
  return `${option[0]!.toUpperCase()}${option.slice(1)}`
}

const greet = (config: NodeConfig): Effect.Effect<void, never, EventBus> =>
  Effect.gen(function*() {
    const bus = yield* EventBus
    yield* Effect.logInfo("configuration loaded").pipe(
      Effect.annotateLogs({ file: config.file ?? "none", data_directory: config.dataDirectory })
    )
    for (const warning of config.warnings) yield* Effect.logWarning(warning)
    yield* Effect.logInfo(`Network: ${titleOf(config)}`)
    yield* bus.publish("ConfigLoaded", configLoaded(config))
  }).pipe(Effect.annotateLogs({ category: "config" }))

const program = (config: NodeConfig, hooks: LifecycleHooks, force: (exitCode: number) => void, witness: CrashWitness) =>
  Effect.gen(function*() {
    const shutdown = yield* Shutdown
    const log = yield* Log
    const bus = yield* EventBus
    const started = yield* Clock.currentTimeMillis
    yield* handleSignals({
      stop: (reason) => shutdown.request(reason),
      hangUp: log.reopen,
      force: hooks.ignoresSignals === true ? undefined : (exitCode) => {
        witness.dismiss()
        force(exitCode)
      }
    })
    yield* logEvents
    yield* hooks.first ?? Effect.void
    yield* greet(config)

    const components = yield* Scope.make()
    let hasStarted = false
    const starting = yield* Effect.gen(function*() {
      const names = yield* startComponents(config, components, hooks)
      hasStarted = true
      const duration = (yield* Clock.currentTimeMillis) - started
      yield* bus.publish("NodeStartupCompleted", { duration_ms: duration, components: names })
      yield* Effect.logInfo("Component startup complete").pipe(
        Effect.annotateLogs({ duration_ms: duration, category: "node" })
      )
      yield* hooks.started ?? Effect.void
    }).pipe(
      Effect.catch((failure) => shutdown.request("error", failureText(failure))),
      // An internal error must not leave a node that never finishes its start.
      Effect.catchDefect((defect) =>
        shutdown.request("error", `a defect kept the node from starting: ${String(defect)}`)
      ),
      // The whole is uninterruptible from outside, but an operator can stop the start.
      Effect.interruptible,
      Effect.forkChild
    )
    const request = yield* shutdown.requested
    yield* Fiber.interrupt(starting)
    yield* hooks.stopping ?? Effect.void
    const inTime = yield* stopNode(components, request, config.shutdownTimeoutSeconds, hasStarted)
    if (request.reason === "error") {
      return yield* new NodeFailure({ message: request.message ?? "an error stopped the node" })
    }
    if (!inTime) return yield* new NodeFailure({ message: "the node did not stop in time; what is committed is safe" })
    const failure = shutdown.failure()
    if (failure !== undefined) return yield* new NodeFailure({ message: failure })
  })

const layerOf = (
  config: NodeConfig,
  { note }: CrashWitness,
  log: Layer.Layer<Log> = logLayer(config.logging, note)
): Layer.Layer<EventBus | Log | RunningModules | RunningNetwork | Shutdown | StartupStage> =>
  Layer.mergeAll(EventBus.layer, RunningModules.layer, RunningNetwork.layer, Shutdown.layer, StartupStage.layer, log)

/**
 * Runs a node until a signal, a call or an error stops it. `force` ends the process at once; a signal some time after
 * the stop began requests that. Handles the signals.
 */
export const runNode = (
  config: NodeConfig,
  hooks: LifecycleHooks = {},
  force: (exitCode: number) => void = exitImmediately
): Effect.Effect<void, NodeFailure> =>
  crashWitness(hooks.crashNotice).pipe(
    Effect.flatMap((witness) =>
      program(config, hooks, force, witness).pipe(
        Effect.scoped,
        Effect.provide(layerOf(config, witness, hooks.log))
      )
    ),
    Effect.scoped,
    Effect.uninterruptible
  )
