import { encodeCompactSize, readCompactSize } from "@lockstep/kernel/bytes/compact-size.ts"
import { cursorOn } from "@lockstep/kernel/bytes/cursor.ts"
import { sipHash, type SipKey } from "../siphash/sip-hash.ts"
import { bitReader, bitWriter } from "./bit-string.ts"

/** Bits of a difference that are written as they are. */
const REMAINDER_BITS = 19
const REMAINDER = 2 ** REMAINDER_BITS
/** One in so many elements that are not in a set seems to be. */
const FALSE_POSITIVES = 784_931

const TWO_TO_32 = 2 ** 32

/** The upper half of the product of two numbers of 32 bits. */
const upperProduct = (a: number, b: number): number => {
  const [a1, a0, b1, b0] = [a >>> 16, a & 0xffff, b >>> 16, b & 0xffff]
  const middle = a1 * b0 + Math.floor((a0 * b0) / 0x10000)
  return a1 * b1 + Math.floor(middle / 0x10000) + Math.floor(((middle % 0x10000) + a0 * b1) / 0x10000)
}

/**
 * Where an element of a set of values below `range` lies: its hash, spread evenly. With hash = high·2³² + low and
 * range = upper·2³² + lower, without a number above 2⁵³:
 *
 *     place = ⌊hash · range / 2⁶⁴⌋
 */
const placeOf = (key: SipKey, element: Uint8Array, range: number): number => {
  const { high, low } = sipHash(key, element)
  const upper = Math.floor(range / TWO_TO_32)
  const lower = range % TWO_TO_32
  const product = upperProduct(high, lower)
  const below = Math.imul(high, lower) >>> 0
  return high * upper + product + Math.floor((below + low * upper + upperProduct(low, lower)) / TWO_TO_32)
}

const placesOf = (key: SipKey, elements: ReadonlyArray<Uint8Array>, count: number): Float64Array => {
  const range = count * FALSE_POSITIVES
  const places = new Float64Array(elements.length)
  for (const [i, element] of elements.entries()) places[i] = placeOf(key, element, range)
  return places.sort()
}

/**
 * A set in the form of BIP158: the number of its elements, then the differences between their places in Golomb-Rice coding.
 * Precondition: no element twice.
 */
export const encodeSet = (key: SipKey, elements: ReadonlyArray<Uint8Array>): Uint8Array => {
  const head = encodeCompactSize(elements.length)
  const writer = bitWriter(elements.length * 3)
  let last = 0
  for (const place of placesOf(key, elements, elements.length)) {
    const difference = place - last
    writer.unary(Math.floor(difference / REMAINDER))
    writer.bits(difference % REMAINDER, REMAINDER_BITS)
    last = place
  }
  const coded = writer.finish()
  const bytes = new Uint8Array(head.length + (elements.length === 0 ? 0 : coded.length))
  bytes.set(head)
  if (elements.length > 0) bytes.set(coded, head.length)
  return bytes
}

/** How many elements a set has, and where their places begin; none: these bytes are no set. */
const headOf = (set: Uint8Array): { readonly count: number; readonly start: number } | undefined => {
  const cursor = cursorOn(set)
  const count = readCompactSize(cursor)
  return cursor.broken === undefined ? { count, start: cursor.offset } : undefined
}

/** Whether bytes are a set from their first bit to their last. */
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

/** Whether one of the elements is in a set, or seems to be. What is no set has none. */
export const hasAny = (set: Uint8Array, key: SipKey, elements: ReadonlyArray<Uint8Array>): boolean => {
  const head = headOf(set)
  if (head === undefined || head.count === 0 || elements.length === 0) return false
  const wanted = placesOf(key, elements, head.count)
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
