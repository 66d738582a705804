import * as Effect from "effect/Effect"
import type { DiskFile } from "../disk/disk.ts"
import type { StorageError } from "../storage-error.ts"
import { RECORD_HEAD } from "./record.ts"
import { applyXor, type XorKey } from "./xor-key.ts"

/** Bytes read at a time. */
const WINDOW = 4 * 1024 * 1024
/** Bytes read at a time if only the start of each record is read and the next record is where it should be. */
const SMALL_WINDOW = 4096

/** Layout of the records of a file. */
export interface RecordLayout {
  readonly magic: Uint8Array
  readonly key: XorKey
  /** Smallest length of a record. */
  readonly smallest: number
  readonly largest: number
  /** Bytes after each record that belong to it. */
  readonly behind: number
  /** Start offset; the start of the file by default. */
  readonly from?: number
  /** Number of bytes that are read of each record; all by default. */
  readonly head?: number
}

/** Layout of block records: at least a header and a count, and at most the maximum size of a block. */
export const blockLayout = (magic: Uint8Array, key: XorKey): RecordLayout => ({
  magic,
  key,
  smallest: 81,
  largest: 4_000_000,
  behind: 0
})

/** A possible record. `offset` is the start of its bytes, after magic and length. The receiver owns the bytes. */
export interface FoundRecord {
  readonly offset: number
  /** Size of the whole record. */
  readonly size: number
  readonly bytes: Uint8Array
}

/** Reports whether the bytes are a record. If not, the search continues within them. */
export type Visit<E> = (record: FoundRecord) => Effect.Effect<boolean, E>

/**
 * Finds the records of a file in any state: garbage between records, a truncated record, trailing zeros that were never
 * XORed. It holds a few windows of the file and one record at a time.
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

  /** Returns the bytes from `offset` on: at least `size`, unless the file ends. */
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
