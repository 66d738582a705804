import * as Effect from "effect/Effect"
import type { ChainEngine } from "../engine/chain-engine.ts"
import { commit } from "../engine/commit.ts"
import { crashPoint } from "../engine/crash-point.ts"
import { activeAt } from "../engine/header-tree/active-chain.ts"
import { blockPlace, forgetPlaces, undoPlace } from "../engine/header-tree/block-place.ts"
import { HeaderStatus } from "../engine/header-tree/header-status.ts"
import { clearStatus, has } from "../engine/header-tree/header-tree.ts"
import { tellEvent, tellLog } from "../engine/tell.ts"
import type { BlockFileInfo } from "../storage/block-files/block-files.ts"
import type { StorageError } from "../storage/storage-error.ts"

/** The height below the blocks of the active chain that are here without a gap: the last one that is gone; −1: none is. */
export const lastGoneHeight = ({ tree }: ChainEngine): number => {
  let height = tree.tip.height
  while (height >= 0 && has(tree, activeAt(tree, height)!, HeaderStatus.STORED)) height--
  return height
}

/** Forgets where the blocks and undo data of these files are. */
const forget = ({ recent, tree }: ChainEngine, files: ReadonlySet<number>): void => {
  for (const node of tree.nodes) {
    const [block, undo] = [blockPlace(tree, node), undoPlace(tree, node)]
    if (block !== undefined && files.has(block.file)) {
      forgetPlaces(tree, node)
      recent.remove(node.index)
    } else if (undo !== undefined && files.has(undo.file)) clearStatus(tree, node, HeaderStatus.UNDO)
  }
}

/**
 * Removes files: first what speaks of them, then they themselves, so that a death in between leaves files that nothing
 * names and that go at the next start. `retired` is where the next commit looks for entries to take out. Precondition: the
 * writer's turn, and that nothing in these files is needed any more.
 */
export const pruneFiles = Effect.fn("maintenance.pruneFiles")(function*(
  engine: ChainEngine,
  chosen: ReadonlyArray<BlockFileInfo>,
  retired: Set<number>
): Effect.fn.Return<void, StorageError> {
  if (chosen.length === 0) return
  const started = performance.now()
  const numbers = chosen.map(({ file }) => file)
  tellEvent(engine, "MaintenanceStarted", { maintenance_type: "prune" })
  forget(engine, new Set(numbers))
  for (const file of numbers) retired.add(file)
  engine.dirty = true
  yield* commit(engine)
  crashPoint("before-files-removed")
  yield* engine.files.removeFiles(numbers)
  crashPoint("after-files-removed")
  const bytes = chosen.reduce((sum, { blockBytes, undoBytes }) => sum + blockBytes + undoBytes, 0)
  const results = { files: numbers.length, bytes, last_pruned_height: lastGoneHeight(engine) }
  tellLog(engine, "info", "Old blocks were removed", results)
  tellEvent(engine, "MaintenanceCompleted", {
    maintenance_type: "prune",
    success: true,
    duration_ms: Math.round(performance.now() - started),
    results: JSON.stringify(results)
  })
})
