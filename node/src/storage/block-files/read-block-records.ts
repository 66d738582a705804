import * as Effect from "effect/Effect"
import type { DiskFile } from "../disk/disk.ts"
import type { StorageError } from "../storage-error.ts"
import { RECORD_HEAD } from "./record.ts"
import { applyXor, type XorKey } from "./xor-key.ts"

/** Bytes read at a time. */
const WINDOW = 4 * 1024 * 1024
/** The same where only the first bytes of records are read, and the next record is where it should be. */
const SMALL_WINDOW = 4096

/** How records of a file look. */
export interface RecordLayout {
  readonly magic: Uint8Array
  readonly key: XorKey
  /** A length outside of these is no record's. */
  readonly smallest: number
  readonly largest: number
  /** Bytes behind each record that belong to it. */
  readonly behind: number
  /** Where to begin; none: at the start of the file. */
  readonly from?: number
  /** How many bytes of each record are read; none: all. */
  readonly head?: number
}

/** Records of blocks: a header and a count at least, and never more than a block may have. */
export const blockLayout = (magic: Uint8Array, key: XorKey): RecordLayout => ({
  magic,
  key,
  smallest: 81,
  largest: 4_000_000,
  behind: 0
})

/**
 * What looks like a record. `offset` is where its bytes start, behind magic and length; the bytes are the receiver's.
 */
export interface FoundRecord {
  readonly offset: number
  /** Of the whole record. */
  readonly size: number
  readonly bytes: Uint8Array
}

/** Says whether it was a record indeed; if not, the search goes on within it. */
export type Visit<E> = (record: FoundRecord) => Effect.Effect<boolean, E>

/**
 * Finds the records of a file in whatever state it is: garbage between records, a record cut short, zeros behind the
 * last one that were never XORed. Holds a few windows of the file and one record at a time.
 */
export const readBlockRecords = Effect.fnUntraced(function*<E>(
  file: DiskFile,
  layout: RecordLayout,
  visit: Visit<E>
): Effect.fn.Return<void, E | StorageError> {
  const { behind, head, key, largest, magic, smallest } = layout
  const needle = Buffer.from(magic)
  let start = 0
  let window: Buffer = Buffer.alloc(0)

  /** The bytes from `offset` on: at least `size`, unless the file ends. */
  const from = Effect.fnUntraced(function*(offset: number, size: number, ahead: number) {
    if (offset < start || offset + size > start + window.length) {
      const bytes = yield* file.read(offset, Math.max(size, ahead))
      applyXor(key, bytes, offset)
      start = offset
      window = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    }
    return window.subarray(offset - start)
  })

  let at = layout.from ?? 0
  let ahead = WINDOW
  for (;;) {
    const rest = yield* from(at, RECORD_HEAD, ahead)
    if (rest.length < RECORD_HEAD) return
    const found = rest.indexOf(needle)
    if (found !== 0) {
      ahead = WINDOW
      // The magic may begin in the last three bytes of the window.
      at += found < 0 ? rest.length - (magic.length - 1) : found
      continue
    }
    const size = rest.readUInt32LE(magic.length)
    const asked = RECORD_HEAD + (head ?? size + behind)
    const record = size < smallest || size > largest ? undefined : yield* from(at, asked, ahead)
    const isRecord = record !== undefined && record.length >= asked &&
      (yield* visit({ offset: at + RECORD_HEAD, size, bytes: new Uint8Array(record.subarray(RECORD_HEAD, asked)) }))
    ahead = isRecord && head !== undefined ? SMALL_WINDOW : WINDOW
    at += isRecord ? RECORD_HEAD + size + behind : 1
  }
})
