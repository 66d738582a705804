import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { Chain, type EngineFailure, failureText } from "../engine-client/chain.ts"
import { chainLayer } from "../engine-client/start-chain.ts"
import type { NodeConfig } from "../config/config.ts"
import { version } from "../version.ts"
import { EventBus } from "../events/event-bus.ts"
import { addFinalizerTo } from "../finalizers/finalizers.ts"
import { Health, healthLayer } from "../health/health.ts"
import { Metrics, metricsLayer } from "../metrics/metrics.ts"
import type { EngineFault } from "../engine/api/engine-error.ts"
import { type P2pError, p2pLayer } from "../p2p/layer/p2p-layer.ts"
import type { RunningNetwork } from "../p2p/layer/running-network.ts"
import { coreRestLayer } from "../core-rest/core-rest.ts"
import { restServerLayer } from "../rest/rest-server.ts"
import { METHODS } from "../methods/table.ts"
import { rpcServerLayer } from "../rpc/rpc-server.ts"
import type { HttpServerError } from "../http/http-server-error.ts"
import { moduleSamples } from "./module-samples.ts"
import { moduleTroubles } from "./module-troubles.ts"
import { warnOfLittleRoom } from "./disk-room.ts"
import { modulesLayer } from "../modules/lifecycle/modules-layer.ts"
import { RunningModules } from "../modules/lifecycle/running-modules.ts"
import { openDataDirectory } from "../storage/data-directory/open-data-directory.ts"
import type { StorageError } from "../storage/storage-error.ts"
import type { LifecycleHooks } from "./lifecycle-hooks.ts"
import { engineOptionsOf } from "./engine-options-of.ts"
import { periodicMaintenance } from "./periodic-maintenance.ts"
import { publishZmq } from "./publish-zmq.ts"
import { isRelayed, relayNotifications } from "./relay-notifications.ts"
import { Shutdown } from "../runtime/shutdown.ts"
import { StartupStage } from "../runtime/startup-stage.ts"
import { ActiveNotifiers } from "../zmq/active-notifiers.ts"

/** Errors that keep the node from starting. */
export type StartFailure = StorageError | P2pError | HttpServerError

const lossOf = (failure: EngineFault | EngineFailure): string =>
  failure._tag === "EngineFailure"
    ? failure.message
    : `What changed since the last commit could not be written: ${failureText(failure)} ` +
      "All that was committed is safe: the next start goes on from there, and later blocks are fetched again."

/**
 * Flushes the engine and remembers a failure, so that the process exits with an error code. The finalizer of the chain
 * then finds the engine closed.
 */
const writeLastChanges = (chain: Chain["Service"], shutdown: Shutdown["Service"]): Effect.Effect<void> =>
  Effect.catch(chain.call("close", undefined), (failure) => shutdown.failed(lossOf(failure)))

/** Starts RPC, and REST if it is configured. */
const serve = Effect.fnUntraced(function*(
  config: NodeConfig,
  scope: Scope.Scope,
  services: Context.Context<Chain | Health | Metrics | RunningModules | RunningNetwork | Shutdown | StartupStage>
): Effect.fn.Return<void, HttpServerError> {
  const server = Layer.provide(rpcServerLayer(config), Layer.succeedContext(services))
  const running = yield* Layer.buildWithScope(server, scope)
  if (config.standIn?.hasCoreRest === true) {
    yield* Layer.buildWithScope(Layer.provide(coreRestLayer, Layer.succeedContext(running)), scope)
  }
  if (config.rest === undefined) return
  const rest = restServerLayer(config.rest.bind, config.rpc.limits.workQueue)
  yield* Layer.buildWithScope(Layer.provide(rest, Layer.succeedContext(Context.merge(services, running))), scope)
})

/**
 * Starts one component after another in `scope`, which ends them in the opposite order: the data directory, the server
 * and the chain. Once the server runs, the node answers calls, at first only with the stage of its start. Yields
 * the names of the components once all run.
 */
export const startComponents = Effect.fnUntraced(function*(
  config: NodeConfig,
  scope: Scope.Scope,
  hooks: LifecycleHooks = {}
): Effect.fn.Return<
  ReadonlyArray<string>,
  StartFailure,
  EventBus | RunningModules | RunningNetwork | Shutdown | StartupStage
> {
  const bus = yield* EventBus
  const shutdown = yield* Shutdown
  const stage = yield* StartupStage
  const services = yield* Effect.context<EventBus | RunningModules | RunningNetwork | Shutdown | StartupStage>()

  yield* stage.set("Opening the data directory…")
  const { dataDirectory: directory, network, standIn: places } = config
  yield* openDataDirectory({ directory, network, places }).pipe(Scope.provide(scope))

  yield* stage.set("Loading block index…")
  const chain = yield* Layer.buildWithScope(chainLayer(engineOptionsOf(config)), scope)
  yield* addFinalizerTo(scope, writeLastChanges(Context.get(chain, Chain), shutdown))
  // Relayed while their message is handled, as long as the engine lives: no line and no event is lost, however many
  // arrive at once.
  const relay = Effect.runForkWith(services)
  Context.get(chain, Chain).subscribe((notification) => {
    if (isRelayed(notification, bus)) relay(relayNotifications(notification, bus, shutdown))
  })
  const notifiers = yield* Scope.provide(publishZmq(config, Context.get(chain, Chain)), scope)
  yield* Scope.provide(hooks.chainMade?.(Context.get(chain, Chain), shutdown) ?? Effect.void, scope)
  const watching = Layer.provideMerge(healthLayer(config), metricsLayer(config, version()))
  const withChain = Context.add(Context.merge(chain, services), ActiveNotifiers, ActiveNotifiers.of({ notifiers }))
  const provided = Layer.succeedContext(withChain)
  const running = yield* Layer.buildWithScope(Layer.provide(watching, provided), scope)
  if (config.standIn?.isServing !== false) yield* serve(config, scope, Context.merge(withChain, running))
  yield* Context.get(chain, Chain).ready
  yield* Scope.provide(hooks.chainReady?.(Context.get(chain, Chain), shutdown) ?? Effect.void, scope)
  // `bitcoind` warns in Bitcoin Core's words.
  if (config.standIn === undefined) {
    yield* warnOfLittleRoom(config, Context.get(chain, Chain).state()?.progress ?? 0)
  }
  yield* stage.set("Connecting to other nodes…")
  yield* Layer.buildWithScope(Layer.provide(p2pLayer(config), provided), scope)
  yield* stage.set(undefined)
  if (config.modules !== undefined) {
    const found = () => Context.get(services, RunningModules).current()?.list() ?? []
    Context.get(running, Metrics).addSource(() => moduleSamples(found()))
    Context.get(running, Health).watchModules(() => moduleTroubles(found()))
    yield* Layer.buildWithScope(
      Layer.provide(modulesLayer(config, config.modules, (name) => METHODS.has(name)), provided),
      scope
    )
  }
  yield* Context.get(running, Health).check("startup")
  yield* periodicMaintenance(Context.get(chain, Chain), bus, config.storage.maintenanceSeconds).pipe(
    Effect.forkIn(scope)
  )
  const [rest, modules] = [config.rest === undefined ? [] : ["rest"], config.modules === undefined ? [] : ["modules"]]
  return ["storage", "chain", "p2p", "rpc", ...rest, ...modules]
})
