import * as Effect from "effect/Effect"
import type { BatchWriter } from "../../storage/key-value/key-value-store.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { putChangedEntries } from "../header-index/header-entry.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { LEAST_EARLY_CHANGES } from "../options/limits.ts"
import { pushState } from "./push-state.ts"
import { spaceFault } from "../state/engine-status.ts"
import { putFileInfo } from "./file-info-entry.ts"
import { beginAhead } from "./tip-ahead.ts"

/** Writes the facts of changed block files into a batch. */
export const putChangedFiles = ({ changedFiles }: ChainEngine, batch: BatchWriter): void => {
  for (const info of [...changedFiles.values()].sort((a, b) => a.file - b.file)) putFileInfo(info, batch)
}

/** Syncs the block files and records the facts that the store lacks. */
export const syncFiles = ({ changedFiles, files }: ChainEngine): Effect.Effect<void, StorageError> =>
  Effect.map(files.sync, () => {
    for (const info of files.takeChangedInfo()) changedFiles.set(info.file, info)
  })

/**
 * Reports whether every later start will have this tip once its block is on disk: no other block has as much work. The
 * order of arrival would be lost with the process. `wasCommitted` is true if the store has the coins of its parent.
 */
const isCertain = ({ snapshot, tree }: ChainEngine, tip: HeaderIndexNode, wasCommitted: boolean): boolean => {
  if (!wasCommitted || snapshot !== undefined || tree.tip !== tip) return false
  for (const each of tree.candidates) if (each !== tip && each.chainWork >= tip.chainWork) return false
  return true
}

/**
 * Notifies subscribers of a new tip before its coins are committed, if they are many. By then the block, its undo data
 * and its entry are on disk. The next start therefore has this tip: it connects the block again before it accepts
 * calls. Followers of the chain run afterwards, and calls wait for the commit (docs/decisions/0036).
 */
export const notifyEarly = (
  engine: ChainEngine,
  tip: HeaderIndexNode,
  wasCommitted: boolean
): Effect.Effect<void, StorageError> =>
  Effect.gen(function*() {
    const { changedFiles, chainstates, coins, initialBlockDownload, options, store, tree } = engine
    const least = options.testHooks?.earlyChanges ?? LEAST_EARLY_CHANGES
    if (initialBlockDownload || coins.changes() < least || store.engine !== "heed3") return
    if (!isCertain(engine, tip, wasCommitted) || spaceFault(engine) !== undefined) return
    yield* syncFiles(engine)
    engine.crashPoint("before-early-batch")
    // Nothing waits for disk space here, and followers of the chain should not either.
    yield* chainstates.whole.write((batch) => {
      putChangedFiles(engine, batch)
      putChangedEntries(tree, batch)
    })
    changedFiles.clear()
    tree.changed.clear()
    engine.crashPoint("after-early-batch")
    beginAhead(engine)
    pushState(engine)
    engine.sendNow?.()
  })
