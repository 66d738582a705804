import type { ModuleIpcFault } from "../fault.ts"

/**
 * A position in a message that is being decoded. The first fault is kept. Anything read after it is meaningless, and
 * loops end.
 */
export interface Reader {
  readonly bytes: Uint8Array
  readonly view: DataView
  offset: number
  fault: ModuleIpcFault | undefined
}

/** Opens a reader at the start of `bytes`. */
export const readerOf = (bytes: Uint8Array): Reader => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset: 0,
  fault: undefined
})

/** Records a fault, unless one was recorded before. */
export const refuse = (reader: Reader, fault: ModuleIpcFault): void => {
  reader.fault ??= fault
}

/** Returns the number of unread bytes. */
export const remaining = ({ bytes, offset }: Reader): number => bytes.length - offset

/** Skips `length` bytes and returns their offset; −1 if there are fewer, or after a fault. */
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

/** Reads four bytes, little-endian; 0 after a fault. */
export const takeUint32 = (reader: Reader): number => {
  const at = take(reader, 4)
  return at < 0 ? 0 : reader.view.getUint32(at, true)
}

/** Reads eight bytes, little-endian, as a number of at most 2^53 − 1; 0 after a fault. */
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
 * Reads the number of elements that follow, each of at least `least` bytes. A number that the rest of the frame cannot
 * hold is a fault, so a length alone never allocates memory.
 */
export const takeLength = (reader: Reader, least: number): number => {
  const start = reader.offset
  const count = takeCount(reader)
  if (count * least <= remaining(reader)) return count
  refuse(reader, { _tag: "Truncated", offset: start })
  return 0
}
