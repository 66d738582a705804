/** Long bytes to be inserted before `at` of the written bytes, where they are not copied. */
export interface Insertion {
  readonly at: number
  readonly bytes: Uint8Array
}

/**
 * A message that is being encoded. `bytes` has room beyond `offset` and is replaced by a larger array if that is
 * exhausted.
 */
export interface Writer {
  bytes: Uint8Array<ArrayBuffer>
  view: DataView
  offset: number
  /** List for long byte strings; `undefined` if they are copied like all others. */
  readonly insertions: Array<Insertion> | undefined
}

const FIRST_ROOM = 256

/** Number of bytes from which an insertion is cheaper than a copy. */
export const LONG_BYTES = 32 * 1024

/** An empty writer. */
export const writer = (room: number = FIRST_ROOM, insertions?: Array<Insertion>): Writer => {
  const bytes = new Uint8Array(room)
  return { bytes, view: new DataView(bytes.buffer), offset: 0, insertions }
}

/** Reserves `length` bytes and returns their offset. */
export const reserve = (to: Writer, length: number): number => {
  const start = to.offset
  const needed = start + length
  if (needed > to.bytes.length) {
    const grown = new Uint8Array(Math.max(needed, 2 * to.bytes.length))
    grown.set(to.bytes.subarray(0, start))
    to.bytes = grown
    to.view = new DataView(grown.buffer)
  }
  to.offset = needed
  return start
}

/** Writes four bytes, little-endian. */
export const putUint32 = (to: Writer, value: number): void => {
  const at = reserve(to, 4)
  to.view.setUint32(at, value, true)
}

/** Writes eight bytes, little-endian, of a whole number from 0 to 2^53 − 1. */
export const putCount = (to: Writer, value: number): void => {
  const at = reserve(to, 8)
  to.view.setUint32(at, value % 0x1_0000_0000, true)
  to.view.setUint32(at + 4, Math.floor(value / 0x1_0000_0000), true)
}

/** Writes `bytes` without a length. */
export const putBytes = (to: Writer, bytes: Uint8Array): void => {
  if (to.insertions !== undefined && bytes.length >= LONG_BYTES) {
    to.insertions.push({ at: to.offset, bytes })
    return
  }
  const at = reserve(to, bytes.length)
  to.bytes.set(bytes, at)
}
