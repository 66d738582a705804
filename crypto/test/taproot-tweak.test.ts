import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { answerOfAll, providers } from "./provider-agreement.ts"
import {
  BOUNDARIES,
  bytes32,
  changedAt,
  FIELD,
  GENERATOR_X,
  joined,
  ORDER,
  schnorrKey,
  secretFrom,
  tweaked
} from "./signing.ts"

const verdict = (internal: Uint8Array, tweak: Uint8Array, output: Uint8Array, parity: number): boolean =>
  answerOfAll((crypto) => crypto.taprootTweakMatches(internal, tweak, output, parity))

const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const internal = schnorrKey(secretFrom(new Uint8Array(32).fill(0x31)))
const tweak = new Uint8Array(32).fill(0x77)
const { output, parity } = tweaked(internal, tweak)!
const generator = bytes32(GENERATOR_X)

describe(`taproot tweak by ${providers.map(({ name }) => name).join(", ")}`, () => {
  it("holds for the tweaked key with its parity and with no other", () => {
    fc.assert(
      fc.property(bytesOf(32), bytesOf(32), (seed, by) => {
        const inner = schnorrKey(secretFrom(seed))
        const right = tweaked(inner, secretFrom(by))!
        return verdict(inner, secretFrom(by), right.output, right.parity) &&
          !verdict(inner, secretFrom(by), right.output, 1 - right.parity)
      }),
      { numRuns: 40 }
    )
  })

  it("fails when any byte changes", () => {
    const whole = joined(internal, tweak, output)
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = changedAt(whole, at, whole[at]! ^ change)
        return !verdict(damaged.subarray(0, 32), damaged.subarray(32, 64), damaged.subarray(64), parity)
      }),
      { numRuns: 150 }
    )
  })

  it("agrees on random bytes of any length", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 40 }),
        fc.uint8Array({ maxLength: 40 }),
        fc.uint8Array({ maxLength: 40 }),
        fc.nat(2),
        (a, b, c, odd) => !verdict(a, b, c, odd)
      ),
      { numRuns: 300 }
    )
  })

  it("refuses every parity but 0 and 1", () => {
    assert(verdict(internal, tweak, output, parity))
    for (const other of [2, 3, -1, 255]) assert(!verdict(internal, tweak, output, other))
  })

  it("takes the tweak zero as no change", () => {
    // Internal keys stand for the point with even y.
    assert(verdict(internal, bytes32(0n), internal, 0))
    assert(!verdict(internal, bytes32(0n), internal, 1))
  })

  it("refuses tweaks not below the order, which would otherwise wrap around", () => {
    const one = tweaked(internal, bytes32(1n))!
    assert(verdict(internal, bytes32(1n), one.output, one.parity))
    assert(!verdict(internal, bytes32(ORDER + 1n), one.output, one.parity))
    assert(!verdict(internal, bytes32(ORDER), internal, 0))
  })

  it("fails when the sum is infinity", () => {
    for (const x of [0n, GENERATOR_X]) {
      for (const odd of [0, 1]) assert(!verdict(generator, bytes32(ORDER - 1n), bytes32(x), odd))
    }
  })

  it("agrees at every boundary of each input", () => {
    for (const value of BOUNDARIES) {
      const right = value < ORDER ? tweaked(internal, bytes32(value)) : undefined
      if (right !== undefined) assert(verdict(internal, bytes32(value), right.output, right.parity))
      for (const odd of [0, 1]) {
        assert(!verdict(bytes32(value), tweak, output, odd))
        assert(!verdict(internal, bytes32(value), output, odd))
        assert(!verdict(internal, tweak, bytes32(value), odd))
      }
    }
  })

  it("knows an x only by its reduced form", () => {
    const right = tweaked(bytes32(1n), tweak)!
    assert(verdict(bytes32(1n), tweak, right.output, right.parity))
    assert(!verdict(bytes32(FIELD + 1n), tweak, right.output, right.parity))
  })

  it("refuses inputs of other lengths", () => {
    for (const length of [0, 1, 31, 33, 64]) {
      const bytes = new Uint8Array(length).fill(1)
      assert(!verdict(bytes, tweak, output, parity))
      assert(!verdict(internal, bytes, output, parity))
      assert(!verdict(internal, tweak, bytes, parity))
    }
  })
})
