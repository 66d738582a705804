import type * as Effect from "effect/Effect"
import type { StorageError } from "../storage-error.ts"

/** An open file. Offsets and sizes are in bytes. */
export interface DiskFile {
  readonly path: string
  /** Writes all of `bytes` at `offset`, or fails. */
  readonly write: (bytes: Uint8Array, offset: number) => Effect.Effect<void, StorageError>
  /** Reads up to `size` bytes: fewer at the end of the file. */
  readonly read: (offset: number, size: number) => Effect.Effect<Uint8Array, StorageError>
  readonly sync: Effect.Effect<void, StorageError>
  readonly truncate: (size: number) => Effect.Effect<void, StorageError>
  readonly size: Effect.Effect<number, StorageError>
  /** Time of the last change of its content, in milliseconds since 1970. */
  readonly modified: Effect.Effect<number, StorageError>
  /** True if no directory contains it any more: its content is lost when it is closed. */
  readonly isRemoved: Effect.Effect<boolean, StorageError>
  readonly close: Effect.Effect<void>
}

/**
 * All file operations of the storage layer. So a test can make the n-th of them fail as a real disk does: no space, an
 * I/O error, a short write, a failed sync or rename.
 */
export interface Disk {
  readonly open: (path: string, mode: "read" | "read-write" | "create") => Effect.Effect<DiskFile, StorageError>
  readonly rename: (from: string, to: string) => Effect.Effect<void, StorageError>
  readonly remove: (path: string) => Effect.Effect<void, StorageError>
  readonly list: (directory: string) => Effect.Effect<ReadonlyArray<string>, StorageError>
  readonly makeDirectory: (path: string) => Effect.Effect<void, StorageError>
  /** Makes creations, renames and removals in `directory` durable. */
  readonly syncDirectory: (directory: string) => Effect.Effect<void, StorageError>
  /** Writes a small file atomically: new file, sync, rename, sync of the directory. */
  readonly replaceFile: (path: string, bytes: Uint8Array) => Effect.Effect<void, StorageError>
  /** Returns the bytes available to the node, and in total, on the file system of `path`. */
  readonly space: (path: string) => Effect.Effect<{ readonly free: number; readonly total: number }, StorageError>
}
