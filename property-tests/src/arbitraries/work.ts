import fc, { type Arbitrary } from "fast-check"
import type { NaiveWorkParameters } from "../oracles/header.ts"
import { bitsOfTarget, targetOfBits } from "../oracles/target.ts"

/** Sizes and mantissas where something changes: shifts to the right, the sign, 256 bits. */
const edgeBits: Arbitrary<number> = fc
  .tuple(
    fc.constantFrom(0, 1, 2, 3, 4, 5, 0x1c, 0x1d, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x24, 0x7f, 0x80, 0xff),
    fc.constantFrom(
      0,
      1,
      0xff,
      0x100,
      0x1234,
      0x7fff,
      0x8000,
      0xffff,
      0x10000,
      0x123456,
      0x7fffff,
      0x800000,
      0x800001,
      0x80ffff,
      0xffffff
    )
  )
  .map(([size, mantissa]) => size * 0x1000000 + mantissa)

/** Any bits, mostly where something changes; `1d00ffff`, `207fffff` and `2100ffff` are the easiest of some network. */
export const anyBits: Arbitrary<number> = fc.oneof(
  edgeBits,
  fc.constantFrom(
    0x1d00ffff,
    0x1e0377ae,
    0x207fffff,
    0x2100ffff,
    0x1b0404cb,
    0x02008000,
    0x01120000,
    0x220000ff,
    0x04923456
  ),
  fc.integer({ min: 0, max: 0xffffffff }),
  fc.tuple(fc.integer({ min: 1, max: 34 }), fc.nat(0xffffff)).map(([size, mantissa]) => size * 0x1000000 + mantissa)
)

export const bitsWithTarget: Arbitrary<number> = anyBits.filter((bits) => targetOfBits(bits) !== undefined)

/** Numbers below 2²⁵⁶ of any size; powers of two and their neighbours often. */
export const anyTarget: Arbitrary<bigint> = fc
  .oneof(
    fc.tuple(fc.nat(256), fc.constantFrom(-1n, 0n, 1n)).map(([bit, by]) => (1n << BigInt(bit)) + by),
    fc.tuple(fc.nat(255), fc.bigInt({ min: 0n, max: (1n << 256n) - 1n })).map(([shift, value]) =>
      value >> BigInt(shift)
    ),
    bitsWithTarget.map((bits) => targetOfBits(bits)!)
  )
  .filter((target) => target >= 0n && target < 1n << 256n)

/** Easiest targets of networks, some of which bits can write. */
export const powLimit: Arbitrary<bigint> = fc.oneof(
  fc.constantFrom((1n << 224n) - 1n, (1n << 255n) - 1n, 0x377aen << 216n, (1n << 256n) - 1n),
  anyTarget.filter((target) => target > 0n)
)

/** Parameters with periods of `1` to `maxInterval` blocks. */
export const workParameters = (maxInterval: number): Arbitrary<NaiveWorkParameters> =>
  fc
    .record({
      powLimit: fc.oneof(fc.constant((1n << 224n) - 1n), powLimit),
      interval: fc.integer({ min: 1, max: maxInterval }),
      targetSpacing: fc.constantFrom(600, 600, 1, 7, 150),
      allowMinDifficulty: fc.boolean(),
      noRetargeting: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, {
        weight: 1,
        arbitrary: fc.constant(true)
      }),
      bip94: fc.boolean()
    })
    .map(({ interval, ...others }) => ({ ...others, targetTimespan: interval * others.targetSpacing }))

/** The easiest bits that a network has. */
export const easiestBits = (work: NaiveWorkParameters): number => bitsOfTarget(work.powLimit)
