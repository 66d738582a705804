import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { StorageError } from "../storage-error.ts"

/** The engines behind the contract. `heed3` is LMDB, after the name the configuration uses. */
export type EngineName = "heed3" | "leveldb" | "memory"

/** A key and its value. Both belong to the receiver. */
export type KeyValue = readonly [key: Uint8Array, value: Uint8Array]

/** Keys in byte order: from `from` (included) to `to` (left out); backwards when `reverse`. */
export interface KeyRange {
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly reverse?: boolean
  readonly limit?: number
}

/** Collects the writes of one batch. Keys and values may be reused by the caller once the call is over. */
export interface BatchWriter {
  readonly put: (key: Uint8Array, value: Uint8Array) => void
  readonly remove: (key: Uint8Array) => void
}

/** What can be read, from the store as it is or from a snapshot of it. */
export interface KeyValueReader {
  readonly get: (key: Uint8Array) => Effect.Effect<Uint8Array | undefined, StorageError>
  /** One answer a key, in the order of the keys. */
  readonly getMany: (
    keys: ReadonlyArray<Uint8Array>
  ) => Effect.Effect<ReadonlyArray<Uint8Array | undefined>, StorageError>
  /** The entries of a range in chunks, so that a long walk yields to other tasks. */
  readonly range: (range: KeyRange) => Stream.Stream<ReadonlyArray<KeyValue>, StorageError>
}

/** A view of the store at one moment. The caller closes it. */
export interface KeyValueSnapshot extends KeyValueReader {
  readonly close: Effect.Effect<void>
}

/**
 * An ordered map of bytes to bytes on disk. Keys have 1 to 511 bytes. A batch is in the store completely or not at all,
 * also after SIGKILL or a power cut, and is on disk when `write` is done.
 */
export interface KeyValueStore extends KeyValueReader {
  readonly engine: EngineName
  /**
   * Runs `fill` once; a batch in sorted order is much the fastest. When `fill` throws, or
   * goes on after an entry that failed, nothing is written.
   */
  readonly write: (fill: (batch: BatchWriter) => void) => Effect.Effect<void, StorageError>
  readonly snapshot: Effect.Effect<KeyValueSnapshot, StorageError>
  /** Everything written is on disk. */
  readonly flush: Effect.Effect<void, StorageError>
  /**
   * Fails when the store is found to be damaged, as far as a minute goes. A key that is damaged is passed over when its
   * entry is looked for, so what follows from absence alone is decided after this.
   */
  readonly examine: Effect.Effect<void, StorageError>
  /** Bytes the store takes on disk. */
  readonly sizeOnDisk: Effect.Effect<number, StorageError>
  readonly close: Effect.Effect<void, StorageError>
}
