/*
 * Numbers in the format of Bitcoin Core's undo files: seven bits a byte, highest first, the top bit on all but the last
 * byte. One is subtracted at every further byte, so that no number has two forms.
 */

/** Position of {@link readVarint}. `at` is −1 after an error. */
export interface VarintCursor {
  readonly bytes: Uint8Array
  at: number
}

/** Numbers of up to this many bytes are always below 2⁵³. */
const EXACT_LENGTH = 7
const MAX_LENGTH = 10

/** Writes `value` at `at`. Returns the offset of its end. Precondition: an integer, 0 ≤ value < 2⁵³. */
export const writeVarint = (bytes: Uint8Array, at: number, value: number): number => {
  if (value < 0x80) {
    bytes[at] = value
    return at + 1
  }
  let end = at + 1
  for (let rest = value; rest > 0x7f; end++) rest = Math.floor(rest / 128) - 1
  let rest = value
  for (let i = end - 1; i >= at; i--) {
    bytes[i] = i === end - 1 ? rest % 128 : (rest % 128) | 0x80
    rest = Math.floor(rest / 128) - 1
  }
  return end
}

/** {@link writeVarint} for any non-negative integer. */
export const writeLargeVarint = (bytes: Uint8Array, at: number, value: bigint): number => {
  let end = at + 1
  for (let rest = value; rest > 0x7fn; end++) rest = (rest >> 7n) - 1n
  let rest = value
  for (let i = end - 1; i >= at; i--) {
    bytes[i] = Number(rest & 0x7fn) | (i === end - 1 ? 0 : 0x80)
    rest = (rest >> 7n) - 1n
  }
  return end
}

const lengthAt = ({ at, bytes }: VarintCursor): number => {
  if (at < 0) return 0
  for (let end = at; end < bytes.length && end < at + MAX_LENGTH; end++) if (bytes[end]! < 0x80) return end + 1 - at
  return 0
}

/** Reads the next number below 2⁵³. A larger one breaks the cursor, and a broken cursor returns 0. */
export const readVarint = (cursor: VarintCursor): number => {
  const { at, bytes } = cursor
  const length = lengthAt(cursor)
  if (length === 0 || length > EXACT_LENGTH) {
    cursor.at = -1
    return 0
  }
  let value = bytes[at]! & 0x7f
  for (let i = at + 1; i < at + length; i++) value = (value + 1) * 128 + (bytes[i]! & 0x7f)
  cursor.at = at + length
  return value
}

/** Reads the next number of up to ten bytes. A broken cursor returns 0. */
export const readLargeVarint = (cursor: VarintCursor): number | bigint => {
  const { at, bytes } = cursor
  const length = lengthAt(cursor)
  if (length <= EXACT_LENGTH) return readVarint(cursor)
  let value = BigInt(bytes[at]! & 0x7f)
  for (let i = at + 1; i < at + length; i++) value = ((value + 1n) << 7n) | BigInt(bytes[i]! & 0x7f)
  cursor.at = at + length
  return value
}
