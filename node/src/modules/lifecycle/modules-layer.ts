import { nativeHashes } from "@lockstep/crypto/hash/native-hashes.ts"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { semanticVersionOf } from "@lockstep/protocol/module-manifest/index.ts"
import { networkWith } from "@lockstep/protocol/networks/changed-network.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { join } from "node:path"
import { wallClock } from "../../clock.ts"
import type { ModulesConfig, NodeConfig } from "../../config/config.ts"
import { Chain } from "../../engine-client/chain.ts"
import { EventBus } from "../../events/event-bus.ts"
import { acquireRelease } from "../../finalizers/finalizers.ts"
import { RunningNetwork } from "../../p2p/layer/running-network.ts"
import { secondsOf } from "../../quantities.ts"
import { nodeBlockReader } from "../../storage/block-files/node-block-reader.ts"
import { version } from "../../version.ts"
import { type ModuleApis, openModuleApis } from "../api/module-apis.ts"
import type { NodeSide } from "../api/module-context.ts"
import { configLoaded } from "../../config/config-loaded.ts"
import { NODE_MAPPINGS } from "../events/node-mappings.ts"
import { openModuleEvents } from "../events/module-events.ts"
import type { Registry } from "../registry/install-module.ts"
import { type Confinement, findConfinement } from "../sandbox/confinement.ts"
import { makeModules, type ModulesOptions } from "./modules.ts"
import { RunningModules } from "./running-modules.ts"
import { watchModules } from "./watch-modules.ts"

/** Time limits of a module in milliseconds: to connect, to reconnect, to end and to subscribe. */
export const MODULE_TIMES = { connectMs: 10_000, reconnectMs: 15_000, endMs: 5_000, subscribeMs: 5_000 } as const

/** Reports whether an RPC method is one of the node's own. */
type IsCoreMethod = NodeSide["isCoreMethod"]

/** The parts of the node that handle requests of modules. */
const nodeSide = Effect.fnUntraced(function*(config: NodeConfig, isCoreMethod: IsCoreMethod) {
  const network = networkWith(config.network, config.standIn?.changes)
  const crypto = { ...nobleCrypto, ...nativeHashes().hashes }
  const blocks = yield* nodeBlockReader(config, network, crypto)
  const clock = yield* wallClock
  const now = () => secondsOf(clock())
  return {
    chain: yield* Chain,
    blocks,
    crypto,
    network,
    peers: (yield* RunningNetwork).current,
    publish: (yield* EventBus).publish,
    events: yield* openModuleEvents(now),
    configLoaded: { _tag: "ConfigLoaded", ...NODE_MAPPINGS.ConfigLoaded(configLoaded(config)) } as const,
    isCoreMethod,
    now
  } satisfies NodeSide
})

const REMEDY = "install bubblewrap, or set [modules].allow_unconfined = true: a module can then read, write and send " +
  "whatever the user of the node can"

/** Returns the reason why no module may run on this machine, or `undefined` if modules may run. */
const barrierOf = (confinement: Confinement, { allowsUnconfined }: ModulesConfig): string | undefined =>
  confinement._tag === "None" && !allowsUnconfined
    ? `modules cannot be confined: ${confinement.reason}; ${REMEDY}`
    : undefined

const registryOf = ({ directory, registryUrl, trustedKeys }: ModulesConfig): Registry | undefined =>
  registryUrl === undefined ? undefined : { url: new URL(registryUrl), trustedKeys: new Set(trustedKeys), directory }

const warnOfUnconfined = (confinement: Confinement): Effect.Effect<void> =>
  confinement._tag !== "None"
    ? Effect.void
    : Effect.logWarning("modules run without confinement: they can read, write and send whatever this user can").pipe(
      Effect.annotateLogs({ category: "modules", reason: confinement.reason })
    )

const optionsOf = (
  { dataDirectory, peers }: NodeConfig,
  modules: ModulesConfig,
  confinement: Confinement,
  { open, ...methods }: ModuleApis
): ModulesOptions => {
  const directories = { data: join(dataDirectory, "modules"), storage: join(dataDirectory, "module-storage") }
  const own = semanticVersionOf(version())!
  return {
    directory: modules.directory,
    rules: {
      versions: { consensus: own, protocol: own, node: own },
      pins: modules.pins,
      signatures: { required: modules.requiresSignatures, trustedKeys: new Set(modules.trustedKeys) }
    },
    settings: modules.settings,
    barrier: barrierOf(confinement, modules),
    registry: registryOf(modules),
    methods,
    open: ({ capabilities, name, networkConnect, networkListen, rpcOverrides, versionText }, announce) =>
      open({
        name,
        version: versionText,
        permissions: new Set(capabilities),
        rpcOverrides: new Set(rpcOverrides),
        networkRules: {
          listen: modules.places.get(name)?.listen ?? networkListen,
          connect: modules.places.get(name)?.connect ?? networkConnect,
          isBehindProxy: peers.proxy !== undefined
        },
        dataDirectory: join(directories.data, name),
        storageDirectory: join(directories.storage, name)
      }, announce),
    spawn: {
      confinement,
      limits: modules.limits,
      socketDirectory: modules.socketDirectory,
      dataDirectory: directories.data,
      nodeVersion: version(),
      allowsMissingHandshake: modules.allowsMissingHandshake,
      connectMs: MODULE_TIMES.connectMs,
      reconnectMs: MODULE_TIMES.reconnectMs,
      endMs: MODULE_TIMES.endMs
    },
    restartsCrashed: modules.restartsCrashed,
    subscribeMs: MODULE_TIMES.subscribeMs
  }
}

/** Loads the modules, which end with the layer. */
export const modulesLayer = (
  config: NodeConfig,
  modules: ModulesConfig,
  isCoreMethod: IsCoreMethod
): Layer.Layer<never, never, Chain | EventBus | RunningModules | RunningNetwork> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const running = yield* RunningModules
    const confinement = yield* findConfinement()
    const apis = openModuleApis(yield* nodeSide(config, isCoreMethod))
    const service = yield* makeModules(optionsOf(config, modules, confinement, apis))
    yield* acquireRelease(running.set(service), () => running.set(undefined))
    if (modules.allowsUnconfined) yield* warnOfUnconfined(confinement)
    yield* service.loadAll
    if (modules.watchesFiles) yield* Effect.forkScoped(watchModules(service))
  }))
