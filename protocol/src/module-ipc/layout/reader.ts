import type { ModuleIpcFault } from "../fault.ts"

/**
 * A place in a message that is being decoded. The first fault sticks: what is read after it is meaningless, and loops
 * end.
 */
export interface Reader {
  readonly bytes: Uint8Array
  readonly view: DataView
  offset: number
  fault: ModuleIpcFault | undefined
}

/** A reader at the start of `bytes`. */
export const readerOf = (bytes: Uint8Array): Reader => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset: 0,
  fault: undefined
})

/** Notes a fault, unless there was one before. */
export const refuse = (reader: Reader, fault: ModuleIpcFault): void => {
  reader.fault ??= fault
}

/** Bytes that have not been read. */
export const remaining = ({ bytes, offset }: Reader): number => bytes.length - offset

/** Moves past `length` bytes and answers where they start; −1 when there are fewer, or after a fault. */
export const take = (reader: Reader, length: number): number => {
  const start = reader.offset
  if (reader.fault !== undefined) return -1
  if (length > remaining(reader)) {
    refuse(reader, { _tag: "Truncated", offset: start })
    return -1
  }
  reader.offset = start + length
  return start
}

/** Four bytes, little-endian; 0 after a fault. */
export const takeUint32 = (reader: Reader): number => {
  const at = take(reader, 4)
  return at < 0 ? 0 : reader.view.getUint32(at, true)
}

/** Eight bytes, little-endian, of a number of at most 2^53 − 1; 0 after a fault. */
export const takeCount = (reader: Reader): number => {
  const at = take(reader, 8)
  if (at < 0) return 0
  const high = reader.view.getUint32(at + 4, true)
  if (high > 0x1f_ffff) {
    refuse(reader, { _tag: "NumberTooLarge", offset: at })
    return 0
  }
  return high * 0x1_0000_0000 + reader.view.getUint32(at, true)
}

/**
 * How many elements of at least `least` bytes each follow. More than the rest of the frame can hold is a fault, so that a
 * length alone allocates nothing.
 */
export const takeLength = (reader: Reader, least: number): number => {
  const start = reader.offset
  const count = takeCount(reader)
  if (count * least <= remaining(reader)) return count
  refuse(reader, { _tag: "Truncated", offset: start })
  return 0
}
