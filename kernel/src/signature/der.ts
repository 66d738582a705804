import type { Bytes } from "../quantities.ts"
import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import { ScriptFlag, type ScriptFlags } from "../script/flags.ts"
import { ScriptError } from "../script/script-error.ts"

/** Order n of the secp256k1 group, big-endian. */
const ORDER = Uint8Array.of(
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xfe,
  0xba,
  0xae,
  0xdc,
  0xe6,
  0xaf,
  0x48,
  0xa0,
  0x3b,
  0xbf,
  0xd2,
  0x5e,
  0x8c,
  0xd0,
  0x36,
  0x41,
  0x41
)
/** ⌊n/2⌋, big-endian. */
const HALF_ORDER = Uint8Array.of(
  0x7f,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0x5d,
  0x57,
  0x6e,
  0x73,
  0x57,
  0xa4,
  0x50,
  0x1d,
  0xdf,
  0xe9,
  0x2f,
  0x46,
  0x68,
  0x1b,
  0x20,
  0xa0
)

/** An INTEGER of `length` bytes at `at`: not empty, not negative, no zero byte too many. */
const isStrictInteger = (signature: Uint8Array, at: number, length: number): boolean => {
  if (length === 0 || signature[at]! > 0x7f) return false
  return !(length > 1 && signature[at] === 0 && signature[at + 1]! <= 0x7f)
}

/** 30 ‹len› 02 ‹len r› r 02 ‹len s› s ‹hash type›, every length exact. */
const isStrictDer = (signature: Uint8Array): boolean => {
  const size = signature.length
  if (size < 9 || size > 73) return false
  if (signature[0] !== 0x30 || signature[1] !== size - 3) return false
  const rLength = signature[3]!
  const sLength = size - rLength - 7
  if (signature[5 + rLength] !== sLength) return false
  if (signature[2] !== 0x02 || signature[4 + rLength] !== 0x02) return false
  return isStrictInteger(signature, 4, rLength) && isStrictInteger(signature, 6 + rLength, sLength)
}

/**
 * A signature is empty or the one DER encoding of two integers followed by a hash type byte (BIP66).
 *
 * The three flags switch the same rule on: each asks for something that only makes sense of strict DER.
 *
 * @spec SIG-001 #39c56d3a
 */
export const signatureIsStrictDer = (signature: Bytes, flags: ScriptFlags): Fault =>
  signature.length === 0 || (flags & (ScriptFlag.DERSIG | ScriptFlag.LOW_S | ScriptFlag.STRICTENC)) === 0 ||
    isStrictDer(signature)
    ? NO_FAULT
    : fault("SIG-001", ScriptError.SIG_DER)

/** Offsets of the start and the end of an INTEGER's bytes. */
interface Span {
  readonly start: number
  readonly end: number
}

/** Maximum number of length bytes that are read after leading zeros. */
const MAX_LENGTH_BYTES = 3

/**
 * Reads the INTEGER at `at`, if it exists, as OpenSSL did: any long-form length with any number of leading zero bytes.
 */
const laxInteger = (bytes: Uint8Array, at: number): Span | undefined => {
  const size = bytes.length
  if (bytes[at] !== 0x02 || at + 1 >= size) return undefined
  const first = bytes[at + 1]!
  let start = at + 2
  let length = first
  if (first > 0x7f) {
    let lengthBytes = first - 0x80
    if (lengthBytes > size - start) return undefined
    while (lengthBytes > 0 && bytes[start] === 0) {
      start++
      lengthBytes--
    }
    if (lengthBytes > MAX_LENGTH_BYTES) return undefined
    length = 0
    for (; lengthBytes > 0; lengthBytes--) length = length * 256 + bytes[start++]!
  }
  return length > size - start ? undefined : { start, end: start + length }
}

/**
 * Compares the 32-byte number at `at` with `bound`: negative, zero or positive. Compares in place: a view of an array
 * as short as a signature takes longer to make than to read.
 */
const compareNumber = (bytes: Uint8Array, at: number, bound: Uint8Array): number => {
  for (let i = 0; i < 32; i++) {
    const difference = bytes[at + i]! - bound[i]!
    if (difference !== 0) return difference
  }
  return 0
}

/** Copies an INTEGER into 32 bytes at `at`; false when it has more significant bytes. */
const copyInteger = (bytes: Uint8Array, span: Span, target: Uint8Array, at: number): boolean => {
  let start = span.start
  while (start < span.end && bytes[start] === 0) start++
  const length = span.end - start
  if (length > 32) return false
  target.set(bytes.subarray(start, span.end), at + 32 - length)
  return true
}

/**
 * Reads a signature (without hash type) as generously as the network did before BIP66. The sequence length is ignored,
 * integers may be padded, negative ones count as unsigned, bytes may follow. Returns `undefined` if no two integers are
 * found.
 *
 * r‖s in 64 bytes; all zero, which never verifies, when r or s is not below the group order.
 *
 * @spec SIG-002 #dd9bf83e
 */
export const parseLaxDer = (signature: Bytes): Uint8Array | undefined => {
  if (signature[0] !== 0x30) return undefined
  const longForm = Math.max(0, signature[1]! - 0x80)
  const r = laxInteger(signature, 2 + longForm)
  if (r === undefined) return undefined
  const s = laxInteger(signature, r.end)
  if (s === undefined) return undefined
  const compact = new Uint8Array(64)
  const fits = copyInteger(signature, r, compact, 0) && copyInteger(signature, s, compact, 32)
  const inRange = fits && compareNumber(compact, 0, ORDER) < 0 && compareNumber(compact, 32, ORDER) < 0
  return inRange ? compact : new Uint8Array(64)
}

/** Reports whether s, the second half of `compact`, is above half the group order. @internal */
export const isHighS = (compact: Uint8Array): boolean => compareNumber(compact, 32, HALF_ORDER) > 0

/**
 * `compact` with s replaced by n − s when it is high. Precondition: s is below the group order.
 *
 * @internal
 */
export const withLowS = (compact: Uint8Array): Uint8Array => {
  if (!isHighS(compact)) return compact
  const low = new Uint8Array(compact)
  let borrow = 0
  for (let i = 31; i >= 0; i--) {
    const difference = ORDER[i]! - compact[32 + i]! - borrow
    low[32 + i] = difference
    borrow = difference < 0 ? 1 : 0
  }
  return low
}
