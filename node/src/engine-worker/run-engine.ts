import { type AvailableProvider, describeProvider, selectProvider } from "@lockstep/crypto/index.ts"
import { describeSelectionError } from "@lockstep/crypto/select.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { nodeEvent } from "../events/node-event.ts"
import { acquireRelease } from "../finalizers/finalizers.ts"
import { nodeDisk } from "../storage/disk/node-disk.ts"
import { openKeyValueStore } from "../storage/key-value/open-key-value-store.ts"
import { outgrownWarning } from "../storage/key-value/outgrown-store.ts"
import { memoryLimit } from "../storage/usable-memory.ts"
import { memoryRoomWarning } from "./memory-room.ts"
import type { EngineNotification } from "../engine/api/engine-notification.ts"
import type { EngineParts } from "../engine/state/chain-engine.ts"
import type { ConnectError } from "../engine/chainstate/connect-error.ts"
import type { EngineCallName } from "../engine/api/engine-calls.ts"
import { type RunningEngine, startEngine } from "../engine/host/engine.ts"
import type { MakeExtension } from "../engine/chainstate/extension.ts"
import type { EngineOptions } from "../engine/options/engine-options.ts"
import { EXTENSIONS } from "./extensions.ts"
import { blocksDirectoryOf, engineParts } from "../engine/host/open-engine.ts"
import { inThreadPool } from "../engine/script-pool/in-thread.ts"
import { startScriptPool } from "../engine/script-pool/start-script-pool.ts"
import { startWhenNeeded } from "../engine/script-pool/start-when-needed.ts"
import { notifyLog } from "../engine/notify/notifications.ts"
import { pushState } from "../engine/chainstate/push-state.ts"
import { byFront } from "../front/front.ts"

/** Returns the fastest available provider. It hashes blocks and verifies the signatures of signed networks in this thread. */
const engineProvider = (): AvailableProvider => {
  const selection = selectProvider()
  if (selection.ok) return selection.provider
  throw new Error(describeSelectionError(selection.error))
}

/** Starts the script pool. Each worker selects its provider as this thread does, and finds the same one. */
const scriptPool = (workers: number, provider: AvailableProvider) =>
  acquireRelease(
    Effect.sync(() =>
      workers === 0
        ? inThreadPool(provider.crypto)
        : startWhenNeeded(workers, describeProvider(provider), startScriptPool({ workers }))
    ),
    ({ close }) => close
  )

/** The size of two genesis blocks: one left by a first start that died, and the one of this start. */
const NO_CHAIN_BYTES = 1024

/** Advice on moving the store to LevelDB; `bitcoind` has no option for its engine. */
const CONVERSION = byFront({
  lockstep: "Set [storage].database_backend = \"leveldb\": the next start copies it to LevelDB.",
  bitcoind: "Start once with -reindex, which makes it anew in LevelDB from the block files."
})

/** Opens everything in a data directory and runs the engine on it until the scope closes. */
export const runEngine = Effect.fnUntraced(function*(
  options: EngineOptions,
  notify: (notification: EngineNotification) => void,
  onClose: EngineParts["onClose"],
  sendNow?: EngineParts["sendNow"]
): Effect.fn.Return<RunningEngine<EngineCallName>, ConnectError, Scope.Scope> {
  const { backend, rebuild = false, scriptWorkers, storeDirectory: directory = options.directory } = options
  const provider = engineProvider()
  const { crypto } = provider
  let isClosing = false
  onClose?.(() => {
    isClosing = true
  })
  const opened = yield* acquireRelease(
    openKeyValueStore({
      directory,
      blocks: blocksDirectoryOf(options),
      backend,
      startAnew: rebuild,
      isClosing: () => isClosing
    }),
    ({ close }) => close
  )
  const pool = yield* scriptPool(scriptWorkers, provider)
  const parts = yield* engineParts(options, {
    disk: nodeDisk("block-files"),
    store: opened.store,
    crypto,
    pool,
    notify,
    sendNow,
    onClose,
    needsRebuild: rebuild || opened.needsRebuild
  })
  const warnings = [
    ...opened.warnings,
    ...yield* outgrownWarning(opened.store, directory, CONVERSION),
    ...memoryRoomWarning({ dbcacheBytes: options.dbcacheBytes, mempoolBytes: options.mempool.maxBytes }, memoryLimit())
  ]
  /** Drops the replaced store. Only from here on it is not needed: block files can be read and a new chain has begun. */
  const dropReplaced: MakeExtension = () =>
    Effect.succeed({ first: Effect.map(opened.dropReplaced, (leftovers) => void warnings.push(...leftovers)) })
  const engine = yield* startEngine(parts, [dropReplaced, ...EXTENSIONS])
  if (opened.fallback !== undefined) {
    const { from, reason, to } = opened.fallback
    notify({ _tag: "Event", event: nodeEvent("StorageBackendFallback", { configured: from, used: to, reason }) })
  }
  // A store that was moved aside is among the warnings; a missing one is not.
  if (opened.needsRebuild && !rebuild && opened.setAside === undefined) {
    const level = engine.chain.files.sizeOnDisk() > NO_CHAIN_BYTES ? "warn" : "info"
    notifyLog({ notify }, level, `There is no store in ${directory}: it is made anew from the block files`)
  }
  for (const warning of warnings) {
    engine.chain.warnings.add(warning)
    notifyLog({ notify }, "warn", warning)
  }
  if (warnings.length > 0) pushState(engine.chain)
  notifyLog({ notify }, "info", "The chain is open", {
    height: engine.chain.tree.tip.height,
    headers: engine.chain.tree.bestHeader.height,
    store: opened.store.engine,
    scripts: `${pool.workers} workers, ${pool.provider}`
  })
  return engine
})
