import type * as Effect from "effect/Effect"
import type { StorageError } from "../storage-error.ts"

/** A file that is open. Offsets and sizes in bytes. */
export interface DiskFile {
  readonly path: string
  /** Writes all of `bytes` at `offset`, or fails. */
  readonly write: (bytes: Uint8Array, offset: number) => Effect.Effect<void, StorageError>
  /** Up to `size` bytes: fewer at the end of the file. */
  readonly read: (offset: number, size: number) => Effect.Effect<Uint8Array, StorageError>
  readonly sync: Effect.Effect<void, StorageError>
  readonly truncate: (size: number) => Effect.Effect<void, StorageError>
  readonly size: Effect.Effect<number, StorageError>
  /** When its content was last changed: milliseconds since 1970. */
  readonly modified: Effect.Effect<number, StorageError>
  /** Whether no directory has it any more: what is written goes when it is closed. */
  readonly isRemoved: Effect.Effect<boolean, StorageError>
  readonly close: Effect.Effect<void>
}

/**
 * The file operations of the storage layer, in one place. So a test can make the n-th of them fail as a real disk does:
 * no space, an I/O error, a write cut short, a sync or rename that fails.
 */
export interface Disk {
  readonly open: (path: string, mode: "read" | "read-write" | "create") => Effect.Effect<DiskFile, StorageError>
  readonly rename: (from: string, to: string) => Effect.Effect<void, StorageError>
  readonly remove: (path: string) => Effect.Effect<void, StorageError>
  readonly list: (directory: string) => Effect.Effect<ReadonlyArray<string>, StorageError>
  readonly makeDirectory: (path: string) => Effect.Effect<void, StorageError>
  /** Makes creations, renames and removals in `directory` last. */
  readonly syncDirectory: (directory: string) => Effect.Effect<void, StorageError>
  /** Writes a small file so that it is there completely or as it was: new file, sync, rename, sync of the directory. */
  readonly replaceFile: (path: string, bytes: Uint8Array) => Effect.Effect<void, StorageError>
  /** Bytes free for us, and in all, on the file system of `path`. */
  readonly space: (path: string) => Effect.Effect<{ readonly free: number; readonly total: number }, StorageError>
}
