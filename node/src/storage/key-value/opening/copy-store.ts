import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { StorageError } from "../../storage-error.ts"
import type { KeyRange, KeyValueStore } from "../key-value-store.ts"
import { MAX_KEY_SIZE } from "../key-limits.ts"

/** The range of all possible keys. */
export const EVERYTHING: KeyRange = { from: Uint8Array.of(0), to: new Uint8Array(MAX_KEY_SIZE).fill(255) }

/** Number of chunks of a range in one batch. */
const CHUNKS = 64

/** Copies every entry in sorted batches, unless it is cancelled. Returns the number of copied entries. */
export const copyStore = (
  from: KeyValueStore,
  to: KeyValueStore,
  isWanted: () => boolean
): Effect.Effect<number, StorageError> =>
  from.range(EVERYTHING).pipe(
    Stream.grouped(CHUNKS),
    Stream.takeWhile(isWanted),
    Stream.mapEffect((chunks) =>
      Effect.as(
        to.write((batch) => {
          for (const chunk of chunks) for (const [key, value] of chunk) batch.put(key, value)
        }),
        chunks.reduce((sum, chunk) => sum + chunk.length, 0)
      )
    ),
    Stream.runFold(() => 0, (sum, count) => sum + count)
  )
