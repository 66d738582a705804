import fc, { type Arbitrary } from "fast-check"
import { bytesOfNumber } from "../oracles/script-number.ts"

const MAGNITUDES: ReadonlyArray<bigint> = [
  0n,
  1n,
  2n,
  15n,
  16n,
  17n,
  20n,
  21n,
  127n,
  128n,
  255n,
  256n,
  32_767n,
  32_768n,
  65_535n,
  65_536n,
  8_388_607n,
  8_388_608n,
  499_999_999n,
  500_000_000n,
  2_147_483_646n,
  2_147_483_647n,
  2_147_483_648n,
  4_294_967_294n,
  4_294_967_295n,
  4_294_967_296n,
  549_755_813_887n,
  549_755_813_888n
]

/** A number a script can meet: edges of every encoded size, small numbers, any of 40 bits. */
export const scriptInteger: Arbitrary<bigint> = fc.oneof(
  fc.constantFrom(...MAGNITUDES, ...MAGNITUDES.map((n) => -n)),
  fc.bigInt({ min: -20n, max: 20n }),
  fc.bigInt({ min: -(1n << 39n), max: 1n << 39n })
)

/** A number of at most four bytes: what an arithmetic opcode takes. */
export const smallScriptInteger: Arbitrary<bigint> = scriptInteger.filter((n) => n > -(1n << 31n) && n < 1n << 31n)

/** A longer encoding of the same number. */
const padded = (bytes: Uint8Array, zeros: number): Uint8Array => {
  if (bytes.length === 0) return new Uint8Array(zeros)
  const last = bytes.at(-1)!
  return Uint8Array.of(...bytes.subarray(0, -1), last & 0x7f, ...new Uint8Array(zeros - 1), last & 0x80)
}

/** Bytes that an opcode may read as a number: minimal, padded, negative zero, too long, any. */
export const numberOperand: Arbitrary<Uint8Array> = fc.oneof(
  { weight: 4, arbitrary: smallScriptInteger.map(bytesOfNumber) },
  { weight: 2, arbitrary: scriptInteger.map(bytesOfNumber) },
  {
    weight: 1,
    arbitrary: fc.tuple(scriptInteger, fc.integer({ min: 1, max: 3 })).map(([n, zeros]) =>
      padded(bytesOfNumber(n), zeros)
    )
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(Uint8Array.of(0x80), Uint8Array.of(0), Uint8Array.of(0, 0x80), Uint8Array.of(0x81, 0x80))
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 6 }) }
)

/** Unsigned 32-bit numbers, mostly where something changes: locks, sequences, versions, indices. */
export const edgeUint32: Arbitrary<number> = fc.oneof(
  fc.constantFrom(
    0,
    1,
    2,
    3,
    0x7f,
    0x80,
    0xffff,
    0x10000,
    499_999_999,
    500_000_000,
    500_000_001,
    0x003fffff,
    0x00400000,
    0x0040ffff,
    0x00400001,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xfffffffe,
    0xffffffff
  ),
  fc.nat(20),
  fc.integer({ min: 0, max: 0xffffffff })
)

/** Amounts as they are serialized, the range of valid ones and its edges included. */
export const edgeAmount: Arbitrary<bigint> = fc.oneof(
  fc.constantFrom(
    0n,
    1n,
    546n,
    2_099_999_999_999_999n,
    2_100_000_000_000_000n,
    2_100_000_000_000_001n,
    1_050_000_000_000_000n,
    -1n,
    -(1n << 63n),
    (1n << 63n) - 1n,
    1n << 32n,
    (1n << 53n) + 1n
  ),
  fc.bigInt({ min: 0n, max: 2_100_000_000_000_000n }),
  fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n })
)
