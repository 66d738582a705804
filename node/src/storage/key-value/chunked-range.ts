import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { acquireRelease } from "../../finalizers/finalizers.ts"
import type { StorageError } from "../storage-error.ts"
import type { KeyRange, KeyValue, KeyValueSnapshot } from "./key-value-store.ts"

/** Maximum number of entries in a chunk. */
export const CHUNK_ENTRIES = 1024
/** Number of bytes from which a chunk ends early. */
export const CHUNK_BYTES = 1 << 20

/** The next entries of a range, at most {@link CHUNK_ENTRIES}; `more` is false at the end of the range. */
export interface RangeChunk {
  readonly entries: ReadonlyArray<KeyValue>
  readonly more: boolean
}

/** Returns the rest of a range after the key `last`. */
export const restOf = (range: KeyRange, last: Uint8Array, taken: number): KeyRange => {
  const limit = range.limit === undefined ? {} : { limit: range.limit - taken }
  if (range.reverse === true) return { ...range, ...limit, to: last }
  const from = new Uint8Array(last.length + 1)
  from.set(last)
  return { ...range, ...limit, from }
}

/** Streams a range in chunks. Each chunk is a new search from the last key, so no cursor stays open while other tasks run. */
export const chunkedRange = (
  range: KeyRange,
  next: (range: KeyRange) => Effect.Effect<RangeChunk, StorageError>
): Stream.Stream<ReadonlyArray<KeyValue>, StorageError> =>
  Stream.unfold(range as KeyRange | undefined, (left) => {
    if (left === undefined || (left.limit !== undefined && left.limit <= 0)) return Effect.undefined
    return Effect.map(Effect.andThen(Effect.yieldNow, next(left)), ({ entries, more }) => {
      const last = entries.at(-1)
      if (last === undefined) return undefined
      return [entries, more ? restOf(left, last[0], entries.length) : undefined] as const
    })
  })

/** Streams a range of the store as it was when the walk began. */
export const rangeOfSnapshot = (
  snapshot: Effect.Effect<KeyValueSnapshot, StorageError>,
  range: KeyRange
): Stream.Stream<ReadonlyArray<KeyValue>, StorageError> =>
  Stream.unwrap(Effect.map(acquireRelease(snapshot, ({ close }) => close), (view) => view.range(range)))
