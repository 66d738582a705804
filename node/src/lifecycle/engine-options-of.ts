import type { NodeConfig } from "../config/config.ts"
import type { EngineOptions } from "../engine/options/engine-options.ts"
import { indexSwitches } from "../engine/options/index-switches.ts"
import { MEBIBYTE } from "../units.ts"

/** Derives the engine's options from the configuration. */
export const engineOptionsOf = (
  { dataDirectory, mempool, mining, modules, network, standIn, storage, testHooks, validation }: NodeConfig
): EngineOptions => ({
  network,
  activationHeights: validation.activationHeights,
  mockTime: validation.mockTime,
  directory: dataDirectory,
  backend: storage.backend,
  coreBlocks: storage.coreBlocks,
  copyCoreBlocks: storage.copyCoreBlocks,
  dbcacheBytes: storage.dbcacheMegabytes * MEBIBYTE,
  coinEviction: storage.coinEviction,
  scriptWorkers: validation.scriptWorkers,
  assumedValid: validation.assumedValid,
  pruning: storage.pruning,
  ...indexSwitches((each) => storage[each]),
  mempool,
  mining,
  minimumFreeBytes: storage.minimumFreeMegabytes * MEBIBYTE,
  ...standIn === undefined ? {} : {
    blocksDirectory: standIn.blocksDirectory,
    storeDirectory: standIn.storeDirectory,
    rebuild: standIn.rebuild,
    rebuildCoins: standIn.rebuildsCoins,
    isXored: standIn.isXored,
    networkChanges: standIn.changes,
    maxTipAge: standIn.maxTipAge,
    notifiesSelections: standIn.printsPriority,
    scriptCacheBytes: standIn.scriptCacheBytes
  },
  notifiesTips: standIn !== undefined || modules !== undefined,
  ...standIn?.blockFileBytes === undefined ? {} : { blockFileBytes: standIn.blockFileBytes },
  ...testHooks === undefined ? {} : { testHooks }
})
