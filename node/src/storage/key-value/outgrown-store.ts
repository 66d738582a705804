import * as Effect from "effect/Effect"
import type { StorageError } from "../storage-error.ts"
import { usableMemory } from "../usable-memory.ts"
import type { KeyValueStore } from "./key-value-store.ts"
import { MEBIBYTE } from "../../units.ts"

/** Size from which a store is expected to outgrow the memory of usual machines. */
const LARGE_BYTES = 4_096 * MEBIBYTE

/**
 * Warns of an LMDB store that memory may not hold: LMDB reads its pages through a map, and each page that is not in
 * memory stalls the writer (docs/decisions/0038). `conversion` is a sentence that says how to convert the store to
 * LevelDB.
 */
export const outgrownWarning = (
  store: KeyValueStore,
  directory: string,
  conversion: string,
  memoryBytes: number = usableMemory()
): Effect.Effect<ReadonlyArray<string>, StorageError> => {
  if (store.engine !== "heed3") return Effect.succeed([])
  return Effect.map(store.sizeOnDisk, (bytes) => {
    if (bytes <= Math.min(LARGE_BYTES, memoryBytes / 2)) return []
    const size = Math.round(bytes / MEBIBYTE)
    return [
      `The store in ${directory} is LMDB and has ${size} MiB. LMDB becomes many times slower once its file does not fit ` +
      `into memory. ${conversion}`
    ]
  })
}
