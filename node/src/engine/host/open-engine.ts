import type { UnixSeconds } from "@lockstep/kernel/quantities"
import type { Crypto } from "@lockstep/kernel/crypto"
import type { ChainParameters } from "@lockstep/kernel/parameters"
import { type DeploymentName, withActivationHeights } from "@lockstep/protocol/networks/activation-heights.ts"
import { networkWith } from "@lockstep/protocol/networks/changed-network.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { join } from "node:path"
import { acquireRelease } from "../../finalizers/finalizers.ts"
import { openBlockFiles } from "../../storage/block-files/open-block-files.ts"
import { undoCodec } from "../../storage/block-files/undo-codec.ts"
import type { Disk } from "../../storage/disk/disk.ts"
import type { KeyValueStore } from "../../storage/key-value/key-value-store.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { EngineNotification } from "../api/engine-notification.ts"
import type { EngineParts } from "../state/chain-engine.ts"
import { engineClock } from "../options/clock.ts"
import { crashPoints } from "../options/crash-point.ts"
import type { EngineOptions } from "../options/engine-options.ts"
import { makeScheduler } from "../options/scheduler.ts"
import type { ScriptPool } from "../script-pool/script-pool.ts"
import { committedFiles } from "./start.ts"
import { notifyLog } from "../notify/notifications.ts"
import { beginCoinsAnew } from "../snapshot/begin-coins-anew.ts"
import { activeStore, openChainstates } from "../state/chainstates.ts"

/** The dependencies of the engine besides its options. */
export interface EngineSurroundings {
  readonly disk: Disk
  readonly store: KeyValueStore
  readonly crypto: Crypto
  readonly pool: ScriptPool
  readonly notify: (notification: EngineNotification) => void
  readonly sendNow?: EngineParts["sendNow"]
  readonly onClose?: EngineParts["onClose"]
  /** Seconds that replace the machine's clock from the start on; 0 for the machine's clock. */
  readonly mockTime?: UnixSeconds
  /** True if the store is empty and block files exist. They are then imported in place. */
  readonly needsRebuild?: boolean
}

const parametersOf = ({ activationHeights, network, networkChanges }: EngineOptions): ChainParameters => {
  const { parameters } = networkWith(network, networkChanges)
  return withActivationHeights(parameters, Object.entries(activationHeights) as Array<[DeploymentName, number]>)
}

/** The directory of block and undo files in a data directory. */
export const BLOCKS_DIRECTORY = "blocks"

/** Returns the directory of block and undo files. */
export const blocksDirectoryOf = (
  { blocksDirectory, directory }: Pick<EngineOptions, "blocksDirectory" | "directory">
): string => blocksDirectory ?? join(directory, BLOCKS_DIRECTORY)

/** Opens block files and coins on a store. They close with the scope, after the user of the store. */
export const engineParts = Effect.fnUntraced(function*(
  options: EngineOptions,
  { crypto, disk, mockTime, needsRebuild = false, onClose, pool, sendNow, store, notify }: EngineSurroundings
): Effect.fn.Return<EngineParts, StorageError, Scope.Scope> {
  const network = networkWith(options.network, options.networkChanges)
  const files = yield* acquireRelease(
    openBlockFiles({
      disk,
      directory: blocksDirectoryOf(options),
      magic: network.magic,
      committed: needsRebuild ? "as found" : yield* committedFiles(store),
      // A damaged store keeps them, because no rebuild was requested.
      dropsPrunedRest: options.rebuild === true && options.pruning._tag !== "Disabled",
      coreBlocks: options.coreBlocks,
      maxFileBytes: options.testHooks?.blockFileBytes ?? options.blockFileBytes,
      isXored: options.isXored,
      warn: (message) => notifyLog({ notify }, "warn", message)
    }),
    // The store refers only to data that were synced with its commit; a start truncates data written later.
    ({ close }) => Effect.ignore(close)
  )
  let isClosing = false
  onClose?.(() => {
    isClosing = true
  })
  if (options.rebuildCoins === true) yield* beginCoinsAnew({ whole: store, network, isOver: () => isClosing })
  const chainstates = yield* openChainstates(store, options)
  return {
    options,
    network,
    parameters: parametersOf(options),
    crypto,
    disk,
    store: activeStore(chainstates),
    chainstates,
    files,
    undoCodec: undoCodec(),
    coins: chainstates.coins,
    pool,
    clock: yield* engineClock(mockTime ?? options.mockTime),
    scheduler: yield* makeScheduler,
    notify,
    sendNow,
    onClose,
    crashPoint: crashPoints(options.testHooks?.crashAt)
  }
})
