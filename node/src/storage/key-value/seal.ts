import { crc32 } from "node:zlib"

/**
 * Every stored value ends with a checksum of its key and itself. Neither engine notices a flipped bit, and a coin with
 * a wrong amount would make a valid block look invalid.
 *
 * stored = value ‖ CRC-32(key ‖ value), little-endian
 */
export const SEAL_SIZE = 4

/** Above this many bytes the native checksum is faster than the loop; below it the call costs more than the work. */
const NATIVE_FROM = 128

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1
  return c >>> 0
})

/** Computes CRC-32 of the first `size` bytes, continued from `seed`. */
const checksum = (bytes: Uint8Array, size: number, seed: number): number => {
  if (size >= NATIVE_FROM) return crc32(new Uint8Array(bytes.buffer, bytes.byteOffset, size), seed)
  let c = ~seed
  for (let at = 0; at < size; at++) c = TABLE[(c ^ bytes[at]!) & 0xff]! ^ (c >>> 8)
  return ~c >>> 0
}

/** Seals values in a reused buffer: the bytes are valid until the next call. */
export const makeSealer = (): (key: Uint8Array, value: Uint8Array) => Uint8Array => {
  let scratch: Uint8Array = new Uint8Array(4096)
  return (key, value) => {
    const size = value.length
    if (scratch.length < size + SEAL_SIZE) scratch = new Uint8Array(2 * size + SEAL_SIZE)
    scratch.set(value)
    const sum = checksum(value, size, checksum(key, key.length, 0))
    scratch[size] = sum
    scratch[size + 1] = sum >>> 8
    scratch[size + 2] = sum >>> 16
    scratch[size + 3] = sum >>> 24
    return scratch.subarray(0, size + SEAL_SIZE)
  }
}

/** Reports whether the first `size` bytes of `stored` are the value stored under `key`. */
export const sealHolds = (key: Uint8Array, stored: Uint8Array, size: number): boolean => {
  const end = size - SEAL_SIZE
  if (end < 0) return false
  const sum = checksum(stored, end, checksum(key, key.length, 0))
  const kept = stored[end]! | stored[end + 1]! << 8 | stored[end + 2]! << 16 | stored[end + 3]! << 24
  return sum === kept >>> 0
}
