import * as Result from "effect/Result"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"

/** Bytes that are no valid serialization of the expected type; `offset` is the position of the fault. */
export type MalformedBytes = Violation<
  "SER-001" | "SER-003" | "SER-004" | "SER-011" | "SER-012" | "SER-020",
  { readonly offset: number }
>

/**
 * A position in a buffer that is being decoded. The first violation is kept in `broken`; from then on every read
 * returns zero or nothing and advances no further. So a decoder checks once per structure instead of once per field.
 */
export interface Cursor {
  readonly bytes: Uint8Array
  readonly view: DataView
  offset: number
  broken: MalformedBytes | undefined
}

/** A cursor at the start of `bytes`. */
export const cursorOn = (bytes: Uint8Array): Cursor => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset: 0,
  broken: undefined
})

/**
 * Every declared byte exists: skips `count` bytes and returns their offset, or -1 if the buffer ends before them or
 * anything was broken earlier.
 *
 *     offset + count ≤ |bytes|
 *
 * No length is trusted further than this: nothing is allocated for bytes that have not arrived.
 *
 * @spec SER-003 #479a9d4a
 */
export const advance = (cursor: Cursor, count: number): number => {
  if (cursor.broken !== undefined) return -1
  const start = cursor.offset
  if (count > cursor.bytes.length - start) {
    cursor.broken = violation("SER-003", { offset: start })
    return -1
  }
  cursor.offset = start + count
  return start
}

/**
 * The serialization ends where the buffer ends.
 *
 *     offset = |bytes|
 *
 * @spec SER-004 #7f9d5934
 */
export const nothingFollows = (cursor: Cursor): Verdict<void, MalformedBytes> => {
  if (cursor.broken !== undefined) return Result.fail(cursor.broken)
  if (cursor.offset !== cursor.bytes.length) return Result.fail(violation("SER-004", { offset: cursor.offset }))
  return HOLDS
}

/** One byte; 0 when broken. */
export const readUint8 = (cursor: Cursor): number => {
  const at = advance(cursor, 1)
  return at < 0 ? 0 : cursor.bytes[at]!
}

/** Four bytes, little-endian, unsigned; 0 when broken. */
export const readUint32 = (cursor: Cursor): number => {
  const at = advance(cursor, 4)
  return at < 0 ? 0 : cursor.view.getUint32(at, true)
}

/** Eight bytes, little-endian, signed; 0 when broken. */
export const readInt64 = (cursor: Cursor): bigint => {
  const at = advance(cursor, 8)
  return at < 0 ? 0n : cursor.view.getBigInt64(at, true)
}

/** Most scripts of inputs are empty: they share one array, as a view takes a hundred bytes. */
const NOTHING = new Uint8Array(0)

/** Returns a view of the next `count` bytes; an empty array if they are missing or the cursor is broken. */
export const readBytes = (cursor: Cursor, count: number): Uint8Array => {
  const at = advance(cursor, count)
  return at < 0 || count === 0 ? NOTHING : cursor.bytes.subarray(at, at + count)
}
