import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { parseFileName } from "../storage/block-files/file-names.ts"
import { layoutOf } from "../storage/data-directory/layout.ts"
import { diskError } from "../storage/disk/disk-error.ts"
import { DISK_ENGINES, storeDirectory } from "../storage/key-value/opening/disk-engine.ts"
import { StorageError } from "../storage/storage-error.ts"
import type { MaintenanceTask } from "./maintenance-task.ts"
import { asTyped } from "../typed-command.ts"
import { settingName } from "../front/setting-name.ts"

const namesIn = (directory: string): ReadonlyArray<string> => {
  try {
    return fs.readdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
    throw error
  }
}

const lookAt = (directory: string) => ({
  // Checked before the stores, because an unreadable directory must not count as a missing one.
  isEmpty: namesIn(directory).length === 0,
  hasStore: DISK_ENGINES.some(({ hasData, name }) => hasData(storeDirectory(directory, name))),
  hasBlocks: namesIn(layoutOf(directory).blocks).some((name) => parseFileName(name)?.kind === "blk")
})

const REMEDY = `Check ${settingName("--data-dir")} and ${settingName("--network")}.`

/**
 * Fails if a task needs a chain and the data directory of the network has none. It fails before anything is written:
 * the path is more likely mistyped than the chain new.
 */
export const requireChain = (directory: string, task: MaintenanceTask): Effect.Effect<void, StorageError> =>
  Effect.try({ try: () => lookAt(directory), catch: (cause) => diskError("data-directory", "read", directory, cause) })
    .pipe(
      Effect.flatMap(({ hasBlocks, hasStore, isEmpty }) => {
        const missing = (message: string) =>
          Effect.fail(
            new StorageError({ part: "data-directory", operation: "read", reason: "missing", path: directory, message })
          )
        if (task._tag === "Import" || hasStore || (hasBlocks && task._tag === "Rebuild")) return Effect.void
        if (hasBlocks) {
          return missing(
            `There are block files in ${directory} and no store to check: run ${
              asTyped("rebuild")
            }, which makes it from them.`
          )
        }
        const what = isEmpty ? "does not exist or is empty" : "holds no chain"
        return missing(
          `The data directory ${directory} ${what}: there is nothing to ${
            task._tag === "Verify" ? "check" : "make a chain from"
          }. ${REMEDY}`
        )
      })
    )
