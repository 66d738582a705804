import fc, { type Arbitrary } from "fast-check"
import { bigEndian, join } from "../oracles/byte-string.ts"
import { FIELD_PRIME, GROUP_ORDER } from "../oracles/curve.ts"
import { edgeBytes, mutated } from "./bytes.ts"

/** The shortest positive DER integer. */
const derInteger = (value: bigint): Uint8Array => {
  const bytes = bigEndian(value, 40)
  const trimmed = bytes.subarray(bytes.findIndex((byte, i) => byte !== 0 || i === bytes.length - 1))
  return join([2, trimmed.length + (trimmed[0]! >= 0x80 ? 1 : 0)], trimmed[0]! >= 0x80 ? [0] : [], trimmed)
}

/** Strict DER without hash type. */
export const derOf = (r: bigint, s: bigint): Uint8Array => {
  const body = join(derInteger(r), derInteger(s))
  return join([0x30, body.length], body)
}

/** How an encoder may stray from strict DER while an old parser still reads it, or no more. */
export interface DerDeviation {
  readonly leadingZerosR: number
  readonly leadingZerosS: number
  /** Length bytes in long form; 0 is the short form. */
  readonly longLengthR: number
  readonly longLengthS: number
  readonly longTotal: number
  readonly totalError: number
  readonly trailing: Uint8Array
  readonly dropSign: boolean
}

const tagged = (value: bigint, zeros: number, longLength: number, dropSign: boolean): Uint8Array => {
  const strict = derInteger(value).subarray(2)
  const content = join(
    new Uint8Array(zeros),
    dropSign && strict.length > 1 && strict[0] === 0 ? strict.subarray(1) : strict
  )
  const length = longLength === 0
    ? [content.length]
    : [0x80 + longLength, ...new Uint8Array(longLength - 1), content.length]
  return join([2], length, content)
}

/** r and s in BER with the given deviations, without hash type. */
export const berOf = (r: bigint, s: bigint, how: DerDeviation): Uint8Array => {
  const body = join(
    tagged(r, how.leadingZerosR, how.longLengthR, how.dropSign),
    tagged(s, how.leadingZerosS, how.longLengthS, how.dropSign)
  )
  const total = (body.length + how.totalError) & 0x7f
  const length = how.longTotal === 0 ? [total] : [0x80 + how.longTotal, ...new Uint8Array(how.longTotal - 1), total]
  return join([0x30], length, body, how.trailing)
}

export const derDeviation: Arbitrary<DerDeviation> = fc.record({
  leadingZerosR: fc.constantFrom(0, 0, 0, 1, 3, 40),
  leadingZerosS: fc.constantFrom(0, 0, 0, 1, 3, 40),
  longLengthR: fc.constantFrom(0, 0, 0, 1, 2, 4, 9),
  longLengthS: fc.constantFrom(0, 0, 0, 1, 2, 4, 9),
  longTotal: fc.constantFrom(0, 0, 1, 5),
  totalError: fc.constantFrom(0, 0, 1, -1, 30),
  trailing: fc.uint8Array({ maxLength: 3 }),
  dropSign: fc.boolean()
})

/** A number of a signature: edges of the group order and of bytes, or any. */
export const signatureNumber: Arbitrary<bigint> = fc.oneof(
  fc.constantFrom(
    0n,
    1n,
    0x7fn,
    0x80n,
    0xffn,
    0x100n,
    GROUP_ORDER / 2n,
    GROUP_ORDER / 2n + 1n,
    GROUP_ORDER - 1n,
    GROUP_ORDER,
    GROUP_ORDER + 1n,
    FIELD_PRIME,
    (1n << 255n) - 1n,
    1n << 255n,
    (1n << 256n) - 1n,
    1n << 256n
  ),
  fc.bigInt({ min: 0n, max: (1n << 256n) - 1n })
)

const derSignature: Arbitrary<Uint8Array> = fc.tuple(signatureNumber, signatureNumber).map(([r, s]) => derOf(r, s))
const berSignature = fc.tuple(signatureNumber, signatureNumber, derDeviation).map(([r, s, how]) => berOf(r, s, how))

export const hashTypeByte: Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, 1, 2, 3, 4, 0x1f, 0x20, 0x22, 0x43, 0x80, 0x81, 0x82, 0x83, 0x84, 0xe1, 0xff),
  fc.integer({ min: 0, max: 255 })
)

/**
 * Encodings of an ECDSA signature without hash type: strict, deviating, damaged, bytes. None of them verifies anything.
 */
export const signatureEncoding: Arbitrary<Uint8Array> = fc.oneof(
  { weight: 3, arbitrary: derSignature },
  { weight: 3, arbitrary: berSignature },
  { weight: 2, arbitrary: mutated(derSignature) },
  { weight: 2, arbitrary: mutated(berSignature) },
  { weight: 1, arbitrary: edgeBytes(80) }
)

/** The same with a hash type byte, or empty. */
export const signatureWithHashType: Arbitrary<Uint8Array> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(new Uint8Array(0)) },
  { weight: 9, arbitrary: fc.tuple(signatureEncoding, hashTypeByte).map(([der, hashType]) => join(der, [hashType])) }
)
