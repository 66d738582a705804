import * as Effect from "effect/Effect"
import type { BlockFileInfo } from "../../storage/block-files/block-files.ts"
import { KeySpace, namedKey } from "../../storage/key-space.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { ChainEngine } from "../chain-engine.ts"
import { whenThereIsSpace } from "./disk-full.ts"
import { putFileInfo } from "./file-info-entry.ts"
import { putChangedEntries } from "../header-index/header-entry.ts"
import { pushState } from "../notify/push-state.ts"
import { publishPending } from "../notify/notifications.ts"

/** Name of the entry with the block that the coins in the store belong to. */
export const TIP = "tip"

const TIP_KEY = namedKey(KeySpace.meta, TIP)

/** Whether there is anything that the store does not have. */
export const hasChanges = ({ dirty, tree }: ChainEngine): boolean => dirty || tree.changed.size > 0

/** Whether memory calls for a commit. */
export const isMemoryFull = ({ coins, hooks }: ChainEngine): boolean =>
  coins.isFull() || hooks.some(({ isFull }) => isFull?.() === true)

/**
 * Commits everything that changed as one: blocks and undo data first, then the one batch that refers to them. Then it
 * sends the pending notifications. Precondition: no block is being connected.
 */
export const commit = Effect.fnUntraced(function*(engine: ChainEngine): Effect.fn.Return<void, StorageError> {
  const { coins, files, hooks, store, tree } = engine
  if (hasChanges(engine)) {
    engine.crashPoint("before-file-sync")
    yield* files.sync
    for (const info of files.takeChangedInfo()) engine.changedFiles.set(info.file, info)
    const infos: ReadonlyArray<BlockFileInfo> = [...engine.changedFiles.values()].sort((a, b) => a.file - b.file)
    engine.crashPoint("before-batch")
    yield* whenThereIsSpace(
      engine,
      store.write((batch) => {
        // In the order of the key spaces.
        coins.writeChanges(batch)
        engine.crashPoint("inside-batch")
        for (const info of infos) putFileInfo(info, batch)
        putChangedEntries(tree, batch)
        batch.put(TIP_KEY, tree.tip.hash)
        for (const hook of hooks) hook.writeChanges?.(batch)
      })
    )
    engine.crashPoint("after-batch")
    coins.committed()
    engine.changedFiles.clear()
    tree.changed.clear()
    engine.dirty = false
    for (const hook of hooks) hook.committed?.()
    pushState(engine)
  }
  engine.lastCommit = engine.clock.elapsed()
  engine.crashPoint("after-commit")
  publishPending(engine)
})
