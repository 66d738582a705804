import { MAX_SIZE } from "../constants.ts"
import type { Bytes } from "../quantities.ts"
import { violation } from "../verdict.ts"
import { advance, type Cursor, readUint8 } from "./cursor.ts"

/**
 * Reads a length: 1, 3, 5 or 9 bytes, shortest form only, at most {@link MAX_SIZE}. Returns 0 if broken.
 *
 *     b < 253 → b;  253 → u16 ≥ 253;  254 → u32 ≥ 2¹⁶;  255 → u64 ≥ 2³²;  value ≤ 2²⁵
 *
 * A longer form than needed would give one transaction several serializations and so several ids; the upper bound makes
 * every nine-byte form invalid as a length.
 *
 * @spec SER-001 #6c8cb3a8
 */
export const readCompactSize = (cursor: Cursor): number => {
  const start = cursor.offset
  const first = readUint8(cursor)
  if (first < 253) return first
  const width = first === 253 ? 2 : first === 254 ? 4 : 8
  const at = advance(cursor, width)
  if (at < 0) return 0
  const value = width === 2 ? cursor.view.getUint16(at, true) : cursor.view.getUint32(at, true)
  // What eight bytes hold is below 2³² and not in its shortest form, or it is above the limit.
  const allowed = width === 2 ? value >= 253 : width === 4 && value >= 0x10000 && value <= MAX_SIZE
  if (allowed) return value
  cursor.broken = violation("SER-001", { offset: start })
  return 0
}

/** Bytes the shortest form of `value` takes. Precondition: 0 ≤ value ≤ 2⁵³. */
export const compactSizeLength = (value: number): number =>
  value < 253 ? 1 : value <= 0xffff ? 3 : value <= 0xffffffff ? 5 : 9

/**
 * The shortest form of `value`. Precondition: an integer with 0 ≤ value < 2⁵³.
 *
 * @spec SER-002 #f1be0a1a
 */
export const encodeCompactSize = (value: number): Bytes => {
  const length = compactSizeLength(value)
  const bytes = new Uint8Array(length)
  if (length === 1) {
    bytes[0] = value
    return bytes
  }
  bytes[0] = length === 3 ? 253 : length === 5 ? 254 : 255
  // Division rather than shifts: values of the nine-byte form do not fit 32 bits.
  let rest = value
  for (let i = 1; i < length; i++) {
    bytes[i] = rest % 256
    rest = Math.floor(rest / 256)
  }
  return bytes
}
