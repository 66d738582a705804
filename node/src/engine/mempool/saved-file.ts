import * as Effect from "effect/Effect"
import { basename, dirname, join } from "node:path"
import { acquireUseRelease } from "../../finalizers/finalizers.ts"
import type { DiskFile } from "../../storage/disk/disk.ts"
import { nameAside } from "../../storage/disk/name-aside.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { notifyLog } from "../notify/notifications.ts"

type Parts = Pick<ChainEngine, "disk" | "notify">

export interface SavedFile {
  readonly bytes: Uint8Array
  /** Time of the last change, in milliseconds since 1970. */
  readonly modified: number
}

const contentOf = Effect.fnUntraced(function*(
  file: DiskFile
): Effect.fn.Return<SavedFile, StorageError> {
  const modified = yield* file.modified
  return { bytes: yield* file.read(0, yield* file.size), modified }
})

/** Reads a whole file. */
export const readSaved = ({ disk }: Pick<Parts, "disk">, path: string): Effect.Effect<SavedFile, StorageError> =>
  acquireUseRelease(disk.open(path, "read"), contentOf, ({ close }) => close)

/**
 * Reads a whole file; returns `undefined` if it is missing. A file that cannot be read is logged and must not be
 * replaced: its content returns with the permission to read it.
 */
export const readIfThere = (parts: Parts, path: string): Effect.Effect<SavedFile | "unreadable" | undefined> =>
  Effect.catch(readSaved(parts, path), ({ message, reason }) => {
    if (reason === "missing") return Effect.succeed(undefined)
    notifyLog(parts, "warn", `A saved file cannot be read: the node starts without it, and leaves it as it is`, {
      cause: message
    })
    return Effect.succeed("unreadable" as const)
  })

/** Moves an invalid file aside for the operator, and logs it. */
export const setAside = (parts: Parts, path: string, fault: string): Effect.Effect<void> => {
  const { disk } = parts
  const directory = dirname(path)
  const moved = Effect.gen(function*() {
    const aside = join(directory, nameAside(basename(path), yield* disk.list(directory)))
    yield* disk.rename(path, aside)
    return aside
  })
  return Effect.matchEffect(moved, {
    onFailure: ({ message }) =>
      Effect.sync(() =>
        notifyLog(parts, "warn", `${path} cannot be used (${fault}), nor moved aside`, { cause: message })
      ),
    onSuccess: (aside) =>
      Effect.sync(() =>
        notifyLog(parts, "warn", `${path} cannot be used (${fault}): it was moved to ${aside}. Nothing has to be done`)
      )
  })
}

/** Writes a file atomically. */
export const writeSaved = (
  { disk }: Pick<Parts, "disk">,
  path: string,
  bytes: Uint8Array
): Effect.Effect<void, StorageError> => disk.replaceFile(path, bytes)
