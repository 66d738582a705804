import { cursorOn, encodeCompactSize, readCompactSize } from "@lockstep/kernel/bytes"
import { sipHash, type SipKey } from "../siphash/sip-hash.ts"
import { bitReader, bitWriter } from "./bit-string.ts"

/** Bits of a difference that are written without coding. */
const REMAINDER_BITS = 19
const REMAINDER = 2 ** REMAINDER_BITS
/** False positive rate: one in this many elements that are not in a set. */
const FALSE_POSITIVES = 784_931

const TWO_TO_32 = 2 ** 32

/** Returns the upper half of the product of two 32-bit numbers. */
const upperProduct = (a: number, b: number): number => {
  const [a1, a0, b1, b0] = [a >>> 16, a & 0xffff, b >>> 16, b & 0xffff]
  const middle = a1 * b0 + Math.floor((a0 * b0) / 0x10000)
  return a1 * b1 + Math.floor(middle / 0x10000) + Math.floor(((middle % 0x10000) + a0 * b1) / 0x10000)
}

/** Hashes of elements in two halves, each element once. */
interface Digests {
  readonly high: Uint32Array
  readonly low: Uint32Array
  readonly count: number
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i])

/**
 * Hashes the distinct elements. Elements are compared only if their hashes are similar, which is many times as fast as
 * comparing all.
 */
const digestsOf = (key: SipKey, elements: ReadonlyArray<Uint8Array>): Digests => {
  const high = new Uint32Array(elements.length)
  const low = new Uint32Array(elements.length)
  const seen = new Map<number, Array<Uint8Array>>()
  let count = 0
  for (const element of elements) {
    const digest = sipHash(key, element)
    // As many bits as a double represents exactly.
    const mark = digest.high * 2 ** 20 + (digest.low >>> 12)
    const alike = seen.get(mark)
    if (alike === undefined) seen.set(mark, [element])
    else if (alike.some((other) => isSame(other, element))) continue
    else alike.push(element)
    high[count] = digest.high
    low[count] = digest.low
    count++
  }
  return { high, low, count }
}

/**
 * Maps the hashes evenly to values below `range`, and sorts them. With hash = high·2³² + low and range = upper·2³² +
 * lower, without a number above 2⁵³:
 *
 *     place = ⌊hash · range / 2⁶⁴⌋
 */
const placesOf = ({ count, high, low }: Digests, size: number): Float64Array => {
  const range = size * FALSE_POSITIVES
  const upper = Math.floor(range / TWO_TO_32)
  const lower = range % TWO_TO_32
  const places = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const [h, l] = [high[i]!, low[i]!]
    const below = Math.imul(h, lower) >>> 0
    places[i] = h * upper + upperProduct(h, lower) +
      Math.floor((below + l * upper + upperProduct(l, lower)) / TWO_TO_32)
  }
  return places.sort()
}

/**
 * Encodes a set as in BIP158: the number of its elements, then the differences between their values in Golomb-Rice
 * coding. A repeated element is in it once.
 */
export const encodeSet = (key: SipKey, elements: ReadonlyArray<Uint8Array>): Uint8Array => {
  const digests = digestsOf(key, elements)
  const head = encodeCompactSize(digests.count)
  const writer = bitWriter(digests.count * 3)
  let last = 0
  for (const place of placesOf(digests, digests.count)) {
    const difference = place - last
    writer.unary(Math.floor(difference / REMAINDER))
    writer.bits(difference % REMAINDER, REMAINDER_BITS)
    last = place
  }
  const coded = writer.finish()
  const bytes = new Uint8Array(head.length + coded.length)
  bytes.set(head)
  bytes.set(coded, head.length)
  return bytes
}

/**
 * Returns the number of a set's elements, and the offset of the coded differences. Returns `undefined` if the bytes are
 * no set.
 */
const headOf = (set: Uint8Array): { readonly count: number; readonly start: number } | undefined => {
  const cursor = cursorOn(set)
  const count = readCompactSize(cursor)
  return cursor.broken === undefined ? { count, start: cursor.offset } : undefined
}

/** Reports whether the bytes are a set without surplus bits. */
export const isCodedSet = (set: Uint8Array): boolean => {
  const head = headOf(set)
  if (head === undefined) return false
  const reader = bitReader(set.subarray(head.start))
  for (let i = 0; i < head.count; i++) {
    reader.unary()
    reader.bits(REMAINDER_BITS)
    if (reader.isBroken()) return false
  }
  return reader.unread() === 0
}

/** Reports whether one of the elements is in a set, or seems to be. Invalid bytes have no elements. */
export const hasAny = (set: Uint8Array, key: SipKey, elements: ReadonlyArray<Uint8Array>): boolean => {
  const head = headOf(set)
  if (head === undefined || head.count === 0 || elements.length === 0) return false
  const wanted = placesOf(digestsOf(key, elements), head.count)
  const reader = bitReader(set.subarray(head.start))
  let place = 0
  let next = 0
  for (let i = 0; i < head.count; i++) {
    place += reader.unary() * REMAINDER + reader.bits(REMAINDER_BITS)
    if (reader.isBroken()) return false
    while (wanted[next]! < place) {
      next++
      if (next === wanted.length) return false
    }
    if (wanted[next] === place) return true
  }
  return false
}
