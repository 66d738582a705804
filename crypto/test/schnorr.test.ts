import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { answerOfAll, providers } from "./provider-agreement.ts"
import {
  BOUNDARIES,
  bytes32,
  changedAt,
  GENERATOR_X,
  joined,
  number,
  ORDER,
  schnorrChallenge,
  schnorrKey,
  schnorrSign,
  secretFrom
} from "./signing.ts"

const verdict = (signature: Uint8Array, key: Uint8Array, message: Uint8Array): boolean =>
  answerOfAll((crypto) => crypto.schnorrVerify(signature, key, message))

const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const secret = secretFrom(new Uint8Array(32).fill(0x17))
const key = schnorrKey(secret)
const message = new Uint8Array(32).fill(0xee)
const signature = schnorrSign(secret, message)
const generator = bytes32(GENERATOR_X)

/** A signature by the secret key 1 with the nonce 1, for a message of any length. */
const signedByOne = (about: Uint8Array): Uint8Array =>
  joined(generator, bytes32((1n + schnorrChallenge(generator, generator, about)) % ORDER))

describe(`BIP340 by ${providers.map(({ name }) => name).join(", ")}`, () => {
  it("holds for every signature made with the key", () => {
    fc.assert(
      fc.property(
        bytesOf(32),
        bytesOf(32),
        (seed, about) => verdict(schnorrSign(secretFrom(seed), about), schnorrKey(secretFrom(seed)), about)
      ),
      { numRuns: 40 }
    )
  })

  it("fails when any byte of the signature, key or message changes", () => {
    const whole = joined(signature, key, message)
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = changedAt(whole, at, whole[at]! ^ change)
        return !verdict(damaged.subarray(0, 64), damaged.subarray(64, 96), damaged.subarray(96))
      }),
      { numRuns: 150 }
    )
  })

  it("agrees on random bytes of any length", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 70 }),
        fc.uint8Array({ maxLength: 40 }),
        fc.uint8Array({ maxLength: 40 }),
        (a, b, c) => !verdict(a, b, c)
      ),
      { numRuns: 300 }
    )
  })

  it("agrees for r and s at every boundary", () => {
    const [r, s] = [signature.subarray(0, 32), signature.subarray(32)]
    for (const left of [...BOUNDARIES.map(bytes32), r]) {
      for (const right of [...BOUNDARIES.map(bytes32), s]) {
        assert.strictEqual(verdict(joined(left, right), key, message), left === r && right === s)
      }
    }
    assert(!verdict(joined(r, bytes32(number(s) + ORDER > 2n ** 256n ? ORDER : number(s) + ORDER)), key, message))
    assert(!verdict(joined(r, bytes32(ORDER - number(s))), key, message))
  })

  it("refuses keys that are no x-coordinate", () => {
    for (const value of BOUNDARIES) assert(!verdict(signature, bytes32(value), message))
  })

  it("fails when the nonce point is infinity", () => {
    const s = bytes32(schnorrChallenge(generator, generator, message))
    assert(!verdict(joined(generator, s), generator, message))
  })

  it("fails when the nonce point has an odd y", () => {
    // Secret key 1, nonce −1: the x-coordinate is right and the parity wrong.
    const s = bytes32((schnorrChallenge(generator, generator, message) + ORDER - 1n) % ORDER)
    assert(!verdict(joined(generator, s), generator, message))
  })

  it("takes messages of any length", () => {
    for (const length of [0, 1, 31, 32, 33, 63, 64, 65, 100, 1_023, 1_024, 1_025, 5_000]) {
      const about = new Uint8Array(length).fill(length)
      assert(verdict(signedByOne(about), generator, about))
      assert(!verdict(signedByOne(about), generator, joined(about, Uint8Array.of(0))))
    }
  })

  it("refuses signatures and keys of other lengths", () => {
    for (const length of [0, 1, 31, 33, 63, 65, 128]) {
      const bytes = new Uint8Array(length).fill(1)
      assert(!verdict(bytes, key, message))
      assert(!verdict(signature, bytes, message))
    }
  })
})
