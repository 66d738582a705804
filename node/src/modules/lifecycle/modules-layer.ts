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
import type { EventBus } from "../../events/event-bus.ts"
import { acquireRelease } from "../../finalizers/finalizers.ts"
import { secondsOf } from "../../quantities.ts"
import { blockReader } from "../../storage/block-files/block-reader.ts"
import { layoutOf } from "../../storage/data-directory/layout.ts"
import { nodeDisk } from "../../storage/disk/node-disk.ts"
import { version } from "../../version.ts"
import type { ModuleApi } from "../api/api-call.ts"
import { openModuleEvents } from "../events/module-events.ts"
import { type Confinement, findConfinement } from "../sandbox/confinement.ts"
import { serveFrom } from "./module-service.ts"
import { makeModules, type ModulesOptions } from "./modules.ts"
import { RunningModules } from "./running-modules.ts"

const CONNECT_MS = 10_000
const SUBSCRIBE_MS = 5_000
const END_MS = 5_000

/** What requests of modules are answered from. */
const moduleApi = Effect.fnUntraced(function*({ dataDirectory, network: name, storage }: NodeConfig) {
  const crypto = { ...nobleCrypto, ...nativeHashes().hashes }
  const blocks = yield* blockReader({
    disk: nodeDisk("block-files"),
    directory: layoutOf(dataDirectory).blocks,
    coreBlocks: storage.coreBlocks,
    magic: networkWith(name).magic,
    crypto
  })
  return { chain: yield* Chain, blocks, crypto } satisfies ModuleApi
})

const REMEDY = "install bubblewrap, or set [modules].allow_unconfined = true: a module can then read, write and send " +
  "whatever the user of the node can"

/** Why no module may run here. */
const barrierOf = (confinement: Confinement, { allowsUnconfined }: ModulesConfig): string | undefined =>
  confinement._tag === "None" && !allowsUnconfined
    ? `modules cannot be confined: ${confinement.reason}; ${REMEDY}`
    : undefined

const warnOfUnconfined = (confinement: Confinement): Effect.Effect<void> =>
  confinement._tag === "Bubblewrap"
    ? Effect.void
    : Effect.logWarning("modules run without confinement: they can read, write and send whatever this user can").pipe(
      Effect.annotateLogs({ category: "modules", reason: confinement.reason })
    )

const optionsOf = (
  { dataDirectory }: NodeConfig,
  modules: ModulesConfig,
  confinement: Confinement,
  serve: ModulesOptions["serve"]
): ModulesOptions => {
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
    serve,
    spawn: {
      confinement,
      limits: modules.limits,
      socketDirectory: modules.socketDirectory,
      dataDirectory: join(dataDirectory, "modules"),
      nodeVersion: version(),
      connectMs: CONNECT_MS,
      endMs: END_MS
    },
    restartsCrashed: modules.restartsCrashed,
    subscribeMs: SUBSCRIBE_MS
  }
}

/** Loads the modules; they end with the layer. */
export const modulesLayer = (
  config: NodeConfig,
  modules: ModulesConfig
): Layer.Layer<never, never, Chain | EventBus | RunningModules> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const running = yield* RunningModules
    const confinement = yield* findConfinement()
    const now = yield* wallClock
    const events = yield* openModuleEvents(() => secondsOf(now()))
    const serve = serveFrom(yield* moduleApi(config), events)
    const service = yield* makeModules(optionsOf(config, modules, confinement, serve))
    yield* acquireRelease(running.set(service), () => running.set(undefined))
    if (modules.allowsUnconfined) yield* warnOfUnconfined(confinement)
    yield* service.loadAll
  }))
