import fc, { type Arbitrary } from "fast-check"

/** Bytes that follow from `seed` alone: long inputs cost one number to generate and to shrink. */
const pseudoRandomBytes = (length: number, seed: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1
  for (let i = 0; i < length; i++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    bytes[i] = state & 0xff
  }
  return bytes
}

/** The lengths at which some encoding or limit changes, and their neighbours. */
const EDGE_LENGTHS: ReadonlyArray<number> = [
  0,
  1,
  2,
  3,
  4,
  5,
  6,
  8,
  9,
  19,
  20,
  21,
  31,
  32,
  33,
  34,
  40,
  41,
  63,
  64,
  65,
  66,
  71,
  72,
  73,
  74,
  75,
  76,
  77,
  127,
  128,
  252,
  253,
  254,
  255,
  256,
  257,
  519,
  520,
  521
]

const filled = (length: number): Arbitrary<Uint8Array> =>
  fc.oneof(
    fc.nat().map((seed) => pseudoRandomBytes(length, seed)),
    fc.constantFrom(0x00, 0x01, 0x7f, 0x80, 0xff).map((byte) => new Uint8Array(length).fill(byte))
  )

/** Exactly `length` bytes, random or all alike. */
export const bytesOf = (length: number): Arbitrary<Uint8Array> => filled(length)

/** Up to `maxLength` bytes, mostly of an edge length. */
export const edgeBytes = (maxLength: number = 521): Arbitrary<Uint8Array> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.uint8Array({ maxLength: Math.min(maxLength, 12) }) },
    { weight: 3, arbitrary: fc.constantFrom(...EDGE_LENGTHS.filter((length) => length <= maxLength)).chain(filled) }
  )

/** Any bytes up to `maxLength`. */
export const anyBytes = (maxLength: number): Arbitrary<Uint8Array> => fc.uint8Array({ maxLength })

/** One change to a byte string: a bit, a byte, a cut, an insertion, a doubled or removed part. */
const changed = (bytes: Uint8Array, kind: number, a: number, b: number): Uint8Array => {
  const at = bytes.length === 0 ? 0 : a % bytes.length
  const size = 1 + (b % 8)
  const before = bytes.subarray(0, at)
  switch (bytes.length === 0 ? 3 : kind) {
    case 0:
      return Uint8Array.of(...before, bytes[at]! ^ (1 << (b % 8)), ...bytes.subarray(at + 1))
    case 1:
      return Uint8Array.of(...before, b & 0xff, ...bytes.subarray(at + 1))
    case 2:
      return before.slice()
    case 3:
      return Uint8Array.of(...before, b & 0xff, ...bytes.subarray(at))
    case 4:
      return Uint8Array.of(...before, ...bytes.subarray(at, at + size), ...bytes.subarray(at))
    default:
      return Uint8Array.of(...before, ...bytes.subarray(at + size))
  }
}

/** `original` with one to three small changes. */
export const mutated = (original: Arbitrary<Uint8Array>): Arbitrary<Uint8Array> =>
  fc
    .tuple(original, fc.array(fc.tuple(fc.nat(5), fc.nat(), fc.nat()), { minLength: 1, maxLength: 3 }))
    .map(([bytes, changes]) => changes.reduce((result, [kind, a, b]) => changed(result, kind, a, b), bytes))
