import * as Effect from "effect/Effect"
import type { ChainEngine } from "../engine/state/chain-engine.ts"
import { commit } from "../engine/chainstate/commit.ts"
import { blockPlace, forgetPlaces, undoPlace } from "../engine/header-index/block-place.ts"
import { HeaderStatus } from "../engine/header-index/header-status.ts"
import { clearStatus } from "../engine/header-index/header-index.ts"
import { prunedHeight } from "../engine/header-index/pruned-height.ts"
import { notifyEvent, notifyLog } from "../engine/notify/notifications.ts"
import type { BlockFileInfo } from "../storage/block-files/block-files.ts"
import type { StorageError } from "../storage/storage-error.ts"

/** Clears the positions of the blocks and undo data of these files. */
const forget = ({ recent, tree }: ChainEngine, files: ReadonlySet<number>): void => {
  for (const node of tree.nodes) {
    const [block, undo] = [blockPlace(tree, node), undoPlace(tree, node)]
    if (block !== undefined && files.has(block.file)) {
      forgetPlaces(tree, node)
      recent.remove(node.index)
    } else if (undo !== undefined && files.has(undo.file)) clearStatus(tree, node, HeaderStatus.UNDO)
  }
}

const usage = ({ files }: ChainEngine): number =>
  files.info().reduce((sum, { blockBytes, undoBytes }) => sum + blockBytes + undoBytes, 0)

/** Approximate milliseconds of a commit, and of removing a block file with its undo file. */
const COMMIT_MS = 500
const FILE_MS = 20

/** The reason for pruning, for the log. */
export interface PruneReason {
  /** The highest block that was allowed to be removed. */
  readonly highest: number
  /** Space that block files may take; absent for a request of a user. */
  readonly target?: number
}

/**
 * Prunes files: first the records that name them, then the files. So a crash in between leaves unnamed files, which the
 * next start removes. The next commit deletes the entries of the files in `retired`. Preconditions: the writer's turn,
 * and nothing in these files is needed any more.
 */
export const pruneFiles = Effect.fn("maintenance.pruneFiles")(function*(
  engine: ChainEngine,
  chosen: ReadonlyArray<BlockFileInfo>,
  retired: Set<number>,
  { highest, target }: PruneReason
): Effect.fn.Return<void, StorageError> {
  const started = engine.clock.elapsed()
  const numbers = chosen.map(({ file }) => file)
  notifyEvent(engine, "MaintenanceStarted", {
    maintenance_type: "prune",
    estimated_duration_seconds: Math.ceil((COMMIT_MS + chosen.length * FILE_MS) / 1_000)
  })
  forget(engine, new Set(numbers))
  for (const file of numbers) retired.add(file)
  engine.dirty = true
  yield* commit(engine)
  engine.crashPoint("before-files-removed")
  yield* engine.files.removeFiles(numbers)
  engine.crashPoint("after-files-removed")
  const bytes = chosen.reduce((sum, { blockBytes, undoBytes }) => sum + blockBytes + undoBytes, 0)
  const results = { files: numbers.length, bytes, last_pruned_height: prunedHeight(engine.tree) }
  if (numbers.length > 0) {
    notifyLog(engine, "info", "Old blocks were removed", {
      ...results,
      highest,
      is_behind_snapshot: engine.snapshot?.background !== undefined,
      ...target !== undefined && { target, used: usage(engine) }
    })
  }
  notifyEvent(engine, "MaintenanceCompleted", {
    maintenance_type: "prune",
    success: true,
    duration_ms: Math.round(engine.clock.elapsed() - started),
    results: JSON.stringify(results)
  })
})
