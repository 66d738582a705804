import { fromLittleEndian, littleEndian } from "./byte-string.ts"

/** Below 253 one byte, else a marker 253, 254 or 255 and 2, 4 or 8 bytes: the first form that the value fits. */
export const compactSize = (value: number | bigint): Uint8Array => {
  const n = BigInt(value)
  if (n < 253n) return littleEndian(n, 1)
  if (n < 65536n) return Uint8Array.of(253, ...littleEndian(n, 2))
  if (n < 4294967296n) return Uint8Array.of(254, ...littleEndian(n, 4))
  return Uint8Array.of(255, ...littleEndian(n, 8))
}

/**
 * The value at the front of `bytes` with its size, or the rule that is broken: cut; not the shortest form, or above
 * 33,554,432.
 */
export const readCompactSize = (
  bytes: Uint8Array
): { readonly value: number; readonly size: number } | "SER-001" | "SER-003" => {
  if (bytes.length === 0) return "SER-003"
  const marker = bytes[0]!
  const size = marker < 253 ? 1 : marker === 253 ? 3 : marker === 254 ? 5 : 9
  if (bytes.length < size) return "SER-003"
  const value = size === 1 ? BigInt(marker) : fromLittleEndian(bytes.subarray(1, size))
  if (compactSize(value).length !== size || value > 33_554_432n) return "SER-001"
  return { value: Number(value), size }
}
