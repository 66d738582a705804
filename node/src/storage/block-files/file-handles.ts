import * as Effect from "effect/Effect"
import { acquireUseRelease } from "../../finalizers/finalizers.ts"
import type { Disk, DiskFile } from "../disk/disk.ts"
import type { StorageError } from "../storage-error.ts"

type Mode = Parameters<Disk["open"]>[1]

/** Files that stay open for a while, so that adjacent records are read without opening the file again. */
export interface FileHandles {
  /** Runs `use` on the open file, which is not closed before `use` is done. */
  readonly using: <A>(
    path: string,
    mode: Mode,
    use: (file: DiskFile) => Effect.Effect<A, StorageError>
  ) => Effect.Effect<A, StorageError>
  readonly forget: (path: string) => Effect.Effect<void>
  readonly closeAll: Effect.Effect<void>
}

interface Handle {
  readonly file: DiskFile
  readonly isWritable: boolean
  users: number
  isForgotten: boolean
}

/**
 * Keeps at most `limit` unused files open; the least recently used one is closed first (LRU). A file that is only read
 * is opened for reading alone, because the node may have no right to write it. The first write opens it again.
 */
export const fileHandles = (disk: Disk, limit: number): FileHandles => {
  // In order of use: a Map keeps insertion order.
  const handles = new Map<string, Handle>()

  const release = (handle: Handle): Effect.Effect<void> => {
    handle.users--
    return handle.isForgotten && handle.users === 0 ? handle.file.close : Effect.void
  }

  const drop = (path: string, handle: Handle): Effect.Effect<void> => {
    handles.delete(path)
    handle.isForgotten = true
    return handle.users === 0 ? handle.file.close : Effect.void
  }

  const acquire = Effect.fnUntraced(function*(path: string, mode: Mode) {
    const known = handles.get(path)
    const isWritable = mode !== "read"
    if (known !== undefined && isWritable && !known.isWritable) yield* drop(path, known)
    else if (known !== undefined) {
      known.users++
      handles.delete(path)
      handles.set(path, known)
      if (!(yield* known.file.isRemoved)) return known
      known.users--
      yield* drop(path, known)
    }
    for (const [oldest, handle] of handles) {
      if (handles.size < limit) break
      if (handle.users === 0) yield* drop(oldest, handle)
    }
    const handle: Handle = { file: yield* disk.open(path, mode), isWritable, users: 1, isForgotten: false }
    const other = handles.get(path)
    // Another fiber opened it meanwhile: its handle stays, this one is closed after use.
    if (other === undefined) handles.set(path, handle)
    else handle.isForgotten = true
    return handle
  })

  const forget = (path: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const handle = handles.get(path)
      return handle === undefined ? Effect.void : drop(path, handle)
    })

  return {
    using: (path, mode, use) => acquireUseRelease(acquire(path, mode), (handle) => use(handle.file), release),
    forget,
    closeAll: Effect.suspend(() => Effect.forEach([...handles.keys()], forget, { discard: true }))
  }
}
