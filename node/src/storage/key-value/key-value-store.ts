import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { StorageError } from "../storage-error.ts"

/** The engines behind the contract. `heed3` is LMDB, named as in the configuration. */
export type EngineName = "heed3" | "leveldb" | "memory"

/** A key and its value. The receiver owns both. */
export type KeyValue = readonly [key: Uint8Array, value: Uint8Array]

/** A range of keys in byte order, from `from` (included) to `to` (excluded); backwards if `reverse`. */
export interface KeyRange {
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly reverse?: boolean
  readonly limit?: number
}

/** Collects the writes of one batch. The caller may reuse keys and values after the call. */
export interface BatchWriter {
  readonly put: (key: Uint8Array, value: Uint8Array) => void
  readonly remove: (key: Uint8Array) => void
}

/** The read operations, on the store or on a snapshot of it. */
export interface KeyValueReader {
  readonly get: (key: Uint8Array) => Effect.Effect<Uint8Array | undefined, StorageError>
  /** Returns one value per key, in the order of the keys. */
  readonly getMany: (
    keys: ReadonlyArray<Uint8Array>
  ) => Effect.Effect<ReadonlyArray<Uint8Array | undefined>, StorageError>
  /** Streams the entries of a range in chunks, so that a long walk yields to other tasks. */
  readonly range: (range: KeyRange) => Stream.Stream<ReadonlyArray<KeyValue>, StorageError>
}

/** A view of the store at one moment. The caller closes it. */
export interface KeyValueSnapshot extends KeyValueReader {
  readonly close: Effect.Effect<void>
}

/**
 * An ordered map of bytes to bytes on disk. Keys have 1 to 511 bytes. A batch is in the store completely or not at all,
 * even after SIGKILL or a power cut, and is on disk when `write` is done.
 */
export interface KeyValueStore extends KeyValueReader {
  readonly engine: EngineName
  /**
   * Runs `fill` once; a batch in sorted order is much the fastest. If `fill` throws, or continues after an entry that
   * failed, nothing is written.
   */
  readonly write: (fill: (batch: BatchWriter) => void) => Effect.Effect<void, StorageError>
  readonly snapshot: Effect.Effect<KeyValueSnapshot, StorageError>
  /** Waits until all writes are on disk. */
  readonly flush: Effect.Effect<void, StorageError>
  /**
   * Fails if the store is found to be damaged, within about a minute. A look-up skips a damaged key, so conclusions
   * from a missing entry are drawn only after this check.
   */
  readonly examine: Effect.Effect<void, StorageError>
  /** Bytes that the store takes on disk. */
  readonly sizeOnDisk: Effect.Effect<number, StorageError>
  readonly close: Effect.Effect<void, StorageError>
}
