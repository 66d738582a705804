import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { syncDirectory } from "../../disk/sync-directory.ts"
import { diskError } from "../../disk/disk-error.ts"
import { isThere } from "../../disk/regular-file.ts"
import type { StorageError } from "../../storage-error.ts"
import { type DiskEngine, storeDirectory } from "./disk-engine.ts"

/** Path of a store that is about to be replaced. The next opening restores it, unless the new one is complete. */
const kept = (store: string): string => `${store}.old`
/** Path of a store that has been replaced. It is removed, at the next opening if necessary. */
const dropped = (store: string): string => `${store}.dropped`

/** The stores of a data directory that a new one replaces. */
export interface ReplacedStores {
  /** Restores them and removes the stores made in their place. */
  readonly restore: Effect.Effect<void, StorageError>
  /** Removes them, because the new store is complete. Returns warnings for the operator about remains. */
  readonly drop: Effect.Effect<ReadonlyArray<string>, StorageError>
}

const attempt = <A>(operation: string, path: string, run: () => A): Effect.Effect<A, StorageError> =>
  Effect.try({ try: run, catch: (cause) => diskError("key-value", operation, path, cause) })

const remove = (path: string): void => fs.rmSync(path, { recursive: true, force: true })

const storesOf = (dataDirectory: string, engines: ReadonlyArray<DiskEngine>): ReadonlyArray<string> =>
  engines.map(({ name }) => storeDirectory(dataDirectory, name))

/** Puts the old stores back. Stores at their paths are newer and not known to be complete. */
const putBack = (dataDirectory: string, stores: ReadonlyArray<string>): void => {
  const absent = stores.filter((store) => isThere(kept(store)))
  if (absent.length === 0) return
  for (const store of stores) remove(store)
  for (const store of absent) fs.renameSync(kept(store), store)
  syncDirectory(dataDirectory)
}

/** Removes replaced stores. Returns those that could not be removed. */
const clear = (stores: ReadonlyArray<string>): ReadonlyArray<string> =>
  stores.map(dropped).flatMap((path) => {
    try {
      remove(path)
      return []
    } catch (cause) {
      return [
        `The store ${path} was replaced and could not be removed (${
          String((cause as Error).message)
        }): the next start tries again.`
      ]
    }
  })

/** Removes one store after another engine's has replaced it. Returns warnings for the operator. */
export const dropStore = (store: string): Effect.Effect<ReadonlyArray<string>, StorageError> =>
  attempt("rename", store, () => {
    remove(dropped(store))
    fs.renameSync(store, dropped(store))
    return clear([store])
  })

/** Completes the work of a process that died: a store that was about to be replaced is restored. */
export const settleReplaced = (
  dataDirectory: string,
  engines: ReadonlyArray<DiskEngine>
): Effect.Effect<ReadonlyArray<string>, StorageError> => {
  const stores = storesOf(dataDirectory, engines)
  return attempt("restore", dataDirectory, () => {
    putBack(dataDirectory, stores)
    return clear(stores)
  })
}

/** Moves the stores of a data directory out of the way of a new one, all or none. */
export const replaceStores = (
  dataDirectory: string,
  engines: ReadonlyArray<DiskEngine>
): Effect.Effect<ReplacedStores, StorageError> => {
  const stores = storesOf(dataDirectory, engines)
  const restore = attempt("restore", dataDirectory, () => putBack(dataDirectory, stores))
  const drop = attempt("rename", dataDirectory, () => {
    for (const store of stores.filter((each) => isThere(kept(each)))) {
      remove(dropped(store))
      fs.renameSync(kept(store), dropped(store))
    }
    syncDirectory(dataDirectory)
    return clear(stores)
  })
  const moveAway = attempt("rename", dataDirectory, () => {
    for (const store of stores.filter(isThere)) fs.renameSync(store, kept(store))
    syncDirectory(dataDirectory)
  })
  // Stores that cannot be restored now are restored by the next start.
  return Effect.as(Effect.tapError(moveAway, () => Effect.ignore(restore)), { restore, drop })
}
