import * as Effect from "effect/Effect"
import { batchIn, otherSpace } from "../../coins/coin-space.ts"
import { KeySpace, namedKey } from "../../storage/key-space.ts"
import type { BatchWriter } from "../../storage/key-value/key-value-store.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { whenThereIsSpace } from "./disk-full.ts"
import { putChangedEntries } from "../header-index/header-entry.ts"
import { COINS_RECORD_KEY, encodeCoinsRecord } from "../state/coins-record.ts"
import { pushState } from "./push-state.ts"
import { publishPending } from "../notify/notifications.ts"
import { putChangedFiles, syncFiles } from "./notify-early.ts"
import { endAhead } from "./tip-ahead.ts"

/** Name of the entry with the hash of the block that the coins in the store belong to. */
export const TIP = "tip"

/** The key of that entry. */
export const TIP_KEY = namedKey(KeySpace.meta, TIP)

const putCoinsRecord = ({ chainstates, snapshot }: ChainEngine, batch: BatchWriter): void => {
  const { active, hasLeftover, isRecorded } = chainstates
  if (!isRecorded) return
  const background = snapshot?.background && { base: snapshot.base.hash, tip: snapshot.background.tip.hash }
  batch.put(COINS_RECORD_KEY, encodeCoinsRecord({ active, hasLeftover, background }))
}

/** Reports whether there are changes that the store lacks. */
export const hasChanges = ({ dirty, tree }: ChainEngine): boolean => dirty || tree.changed.size > 0

/** Reports whether memory use requires a commit. */
export const isMemoryFull = ({ coins, hooks, snapshot }: ChainEngine): boolean =>
  coins.isFull() || snapshot?.background?.coins.isFull() === true || hooks.some(({ isFull }) => isFull?.() === true)

/**
 * Commits all changes at once: blocks and undo data first, then the batch that refers to them. Then it sends the
 * pending notifications. Precondition: no block is being connected.
 */
export const commit = Effect.fnUntraced(function*(engine: ChainEngine): Effect.fn.Return<void, StorageError> {
  const { chainstates, coins, hooks, tree } = engine
  if (hasChanges(engine)) {
    engine.crashPoint("before-file-sync")
    yield* syncFiles(engine)
    engine.crashPoint("before-batch")
    yield* whenThereIsSpace(
      engine,
      chainstates.whole.write((batch) => {
        // Written in the order of the key spaces.
        coins.writeChanges(batchIn(batch, chainstates.active))
        engine.snapshot?.background?.coins.writeChanges(batchIn(batch, otherSpace(chainstates.active)))
        engine.crashPoint("inside-batch")
        putChangedFiles(engine, batch)
        putChangedEntries(tree, batch)
        batch.put(TIP_KEY, tree.tip.hash)
        putCoinsRecord(engine, batch)
        for (const hook of hooks) hook.writeChanges?.(batch)
      })
    )
    engine.crashPoint("after-batch")
    coins.committed()
    engine.snapshot?.background?.coins.committed()
    engine.changedFiles.clear()
    tree.changed.clear()
    engine.dirty = false
    for (const hook of hooks) hook.committed?.()
    pushState(engine)
  }
  engine.lastCommit = engine.clock.elapsed()
  engine.crashPoint("after-commit")
  publishPending(engine)
  endAhead(engine)
})
