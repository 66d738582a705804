import * as Effect from "effect/Effect"
import type { DiskFile } from "../disk/disk.ts"
import type { StorageError } from "../storage-error.ts"
import { RECORD_HEAD } from "./record.ts"
import { applyXor, type XorKey } from "./xor-key.ts"

/** Bytes read at a time. */
const WINDOW = 4 * 1024 * 1024

/** How records of a file look. */
export interface RecordLayout {
  readonly magic: Uint8Array
  readonly key: XorKey
  /** A length outside of these is no record's. */
  readonly smallest: number
  readonly largest: number
  /** Bytes behind each record that belong to it. */
  readonly behind: number
}

/** Records of blocks: a header and a count at least, and never more than a block may have. */
export const blockLayout = (magic: Uint8Array, key: XorKey): RecordLayout =>
  ({ magic, key, smallest: 81, largest: 4_000_000, behind: 0 })

/** What looks like a record. `offset` is where its bytes start, behind magic and length; the bytes are the receiver's. */
export interface FoundRecord {
  readonly offset: number
  readonly bytes: Uint8Array
}

/** Says whether it was a record indeed; if not, the search goes on within it. */
export type Visit<E> = (record: FoundRecord) => Effect.Effect<boolean, E>

/**
 * Finds the records of a file in whatever state it is: garbage between records, a record cut short, zeros behind the last
 * one that were never XORed. Holds a few windows of the file and one record at a time.
 */
export const readBlockRecords = Effect.fnUntraced(function*<E>(
  file: DiskFile,
  layout: RecordLayout,
  visit: Visit<E>
): Effect.fn.Return<void, E | StorageError> {
  const { behind, key, largest, magic, smallest } = layout
  const needle = Buffer.from(magic)
  let start = 0
  let window: Buffer = Buffer.alloc(0)

  /** The bytes from `offset` on: at least `size`, unless the file ends. */
  const from = Effect.fnUntraced(function*(offset: number, size: number) {
    if (offset < start || offset + size > start + window.length) {
      const bytes = yield* file.read(offset, Math.max(size, WINDOW))
      applyXor(key, bytes, offset)
      start = offset
      window = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    }
    return window.subarray(offset - start)
  })

  let at = 0
  for (;;) {
    const rest = yield* from(at, RECORD_HEAD)
    if (rest.length < RECORD_HEAD) return
    const found = rest.indexOf(needle)
    if (found !== 0) {
      // The magic may begin in the last three bytes of the window.
      at += found < 0 ? rest.length - (magic.length - 1) : found
      continue
    }
    const size = rest.readUInt32LE(magic.length)
    const whole = RECORD_HEAD + size + behind
    const record = size < smallest || size > largest ? undefined : yield* from(at, whole)
    const isRecord = record !== undefined && record.length >= whole &&
      (yield* visit({ offset: at + RECORD_HEAD, bytes: new Uint8Array(record.subarray(RECORD_HEAD, RECORD_HEAD + size + behind)) }))
    at += isRecord ? whole : 1
  }
})
