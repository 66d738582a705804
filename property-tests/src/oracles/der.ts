import { bigEndian, fromBigEndian } from "./byte-string.ts"
import { GROUP_ORDER } from "./curve.ts"

/**
 * BIP66's grammar, signature with its hash type byte:
 * 0x30 total 0x02 |r| r 0x02 |s| s hashtype, 9 to 73 bytes, r and s positive, not empty, no needless leading zero.
 */
export const isStrictDer = (signature: Uint8Array): boolean => {
  const n = signature.length
  if (n < 9 || n > 73) return false
  if (signature[0] !== 0x30 || signature[1] !== n - 3) return false
  const rLength = signature[3]!
  if (5 + rLength >= n) return false
  const sLength = signature[5 + rLength]!
  if (rLength + sLength + 7 !== n) return false
  return isStrictInteger(signature.subarray(2), rLength) && isStrictInteger(signature.subarray(4 + rLength), sLength)
}

const isStrictInteger = (tagged: Uint8Array, length: number): boolean => {
  if (tagged[0] !== 0x02 || length === 0) return false
  if (tagged[2]! >= 0x80) return false
  return !(length > 1 && tagged[2] === 0 && tagged[3]! < 0x80)
}

/** A BER length at `at`: up to 127 in one byte, else a count of length bytes; leading zeros allowed. */
const laxLength = (bytes: Uint8Array, at: number): { readonly length: number; readonly next: number } | undefined => {
  if (at >= bytes.length) return undefined
  const first = bytes[at]!
  if (first < 0x80) return { length: first, next: at + 1 }
  const next = at + 1 + (first - 0x80)
  if (next > bytes.length) return undefined
  const length = fromBigEndian(bytes.subarray(at + 1, next))
  // Four or more significant length bytes are refused before they are compared with what is there.
  return length >= 0x0100_0000n ? undefined : { length: Number(length), next }
}

const laxInteger = (bytes: Uint8Array, at: number): { readonly value: bigint; readonly next: number } | undefined => {
  if (bytes[at] !== 0x02) return undefined
  const length = laxLength(bytes, at + 1)
  if (length === undefined || length.length > bytes.length - length.next) return undefined
  const next = length.next + length.length
  return { value: fromBigEndian(bytes.subarray(length.next, next)), next }
}

/**
 * The signature without hash type byte as the network read it before strict DER: the outer length is not compared, what
 * follows s is ignored, leading zeros and missing sign bytes are harmless. 64 bytes r ‖ s; both zero when either
 * reaches the group order. Undefined when it cannot be read.
 */
export const parseLax = (bytes: Uint8Array): Uint8Array | undefined => {
  if (bytes[0] !== 0x30) return undefined
  if (bytes.length < 2) return undefined
  const outer = bytes[1]! < 0x80 ? 2 : 2 + (bytes[1]! - 0x80)
  if (outer > bytes.length) return undefined
  const r = laxInteger(bytes, outer)
  const s = r && laxInteger(bytes, r.next)
  if (!s) return undefined
  if (r.value >= GROUP_ORDER || s.value >= GROUP_ORDER) return new Uint8Array(64)
  return Uint8Array.of(...bigEndian(r.value, 32), ...bigEndian(s.value, 32))
}
