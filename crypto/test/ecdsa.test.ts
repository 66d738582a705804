import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { answerOfAll, providers } from "./provider-agreement.ts"
import {
  BOUNDARIES,
  bytes32,
  changedAt,
  ecdsaForged,
  ecdsaKey,
  ecdsaRecover,
  ecdsaSign,
  FIELD,
  GENERATOR_X,
  joined,
  number,
  ORDER,
  secretFrom
} from "./signing.ts"

const verdict = (signature: Uint8Array, key: Uint8Array, digest: Uint8Array): boolean =>
  answerOfAll((crypto) => crypto.ecdsaVerify(signature, key, digest))

const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const secret = secretFrom(new Uint8Array(32).fill(0x42))
const key = ecdsaKey(secret)
const uncompressed = ecdsaKey(secret, false)
const digest = new Uint8Array(32).fill(0xd1)
const signature = ecdsaSign(secret, digest)
const r = signature.subarray(0, 32)
const s = signature.subarray(32)
const generator = joined(Uint8Array.of(2), bytes32(GENERATOR_X))

describe(`ECDSA by ${providers.map(({ name }) => name).join(", ")}`, () => {
  it("holds for every signature made with the key, in both forms of the key", () => {
    fc.assert(
      fc.property(
        bytesOf(32),
        bytesOf(32),
        fc.boolean(),
        (seed, message, compressed) =>
          verdict(ecdsaSign(secretFrom(seed), message), ecdsaKey(secretFrom(seed), compressed), message)
      ),
      { numRuns: 40 }
    )
  })

  it("fails when any byte of the signature, key or digest changes", () => {
    const whole = joined(signature, uncompressed, digest)
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = changedAt(whole, at, whole[at]! ^ change)
        return !verdict(damaged.subarray(0, 64), damaged.subarray(64, 129), damaged.subarray(129))
      }),
      { numRuns: 150 }
    )
  })

  it("agrees on random bytes of any length", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 70 }),
        fc.uint8Array({ maxLength: 70 }),
        fc.uint8Array({ maxLength: 40 }),
        (a, b, c) => !verdict(a, b, c)
      ),
      { numRuns: 300 }
    )
  })

  it("agrees for r and s at every boundary", () => {
    for (const left of [...BOUNDARIES.map(bytes32), r]) {
      for (const right of [...BOUNDARIES.map(bytes32), s]) {
        assert.strictEqual(verdict(joined(left, right), key, digest), left === r && right === s)
      }
    }
  })

  it("refuses a high s, which the kernel has normalised before", () => {
    assert(verdict(signature, key, digest))
    assert(!verdict(joined(r, bytes32(ORDER - number(s))), key, digest))
  })

  it("reduces the x of the nonce point by the group order", () => {
    const found = Array.from({ length: 200 }, (_, i) => joined(bytes32(BigInt(i + 1)), bytes32(7n))).flatMap(
      (wrapped) => {
        try {
          return [{ wrapped, recovered: ecdsaRecover(wrapped, 2, digest) }]
        } catch {
          return []
        }
      }
    )
    assert(found.length > 20)
    for (const { recovered, wrapped } of found.slice(0, 5)) assert(verdict(wrapped, recovered, digest))
  })

  it("takes digests of zero, of the order and above it", () => {
    for (const value of [0n, ORDER - 1n, ORDER, ORDER + 5n, 2n ** 256n - 1n]) {
      const message = bytes32(value)
      assert(verdict(ecdsaSign(secret, message), key, message))
    }
    assert(verdict(ecdsaSign(secret, bytes32(5n)), key, bytes32(ORDER + 5n)))
  })

  it("fails when the nonce point is infinity", () => {
    for (const value of [1n, 2n, GENERATOR_X]) {
      assert(!verdict(joined(bytes32(value), bytes32(9n)), generator, bytes32(ORDER - value)))
    }
  })

  it("takes only 02, 03 and 04 as prefix, each with its own length", () => {
    for (let prefix = 0; prefix < 256; prefix++) {
      assert.strictEqual(verdict(signature, changedAt(key, 0, prefix), digest), prefix === key[0])
      assert.strictEqual(verdict(signature, changedAt(uncompressed, 0, prefix), digest), prefix === 4)
    }
    for (let length = 0; length < 70; length++) {
      const cut = joined(uncompressed, new Uint8Array(5)).subarray(0, length)
      assert.strictEqual(verdict(signature, cut, digest), length === 65)
      assert(!verdict(signature, changedAt(cut, 0, 2), digest) || length === 33)
    }
  })

  it("refuses keys off the curve and coordinates not below the field size", () => {
    const y = number(uncompressed.subarray(33))
    const x = number(key.subarray(1))
    const keys = [
      joined(Uint8Array.of(4), bytes32(x), bytes32(y ^ 1n)),
      joined(Uint8Array.of(4), bytes32(x), bytes32(0n)),
      joined(Uint8Array.of(4), bytes32(0n), bytes32(0n)),
      ...BOUNDARIES.flatMap((value) => [2, 3].map((prefix) => joined(Uint8Array.of(prefix), bytes32(value)))),
      ...BOUNDARIES.map((value) => joined(Uint8Array.of(4), bytes32(x), bytes32(value))),
      ...BOUNDARIES.map((value) => joined(Uint8Array.of(4), bytes32(value), bytes32(y)))
    ]
    for (const bad of keys) assert(!verdict(signature, bad, digest))
  })

  it("knows an x only by its reduced form", () => {
    const forged = ecdsaForged(joined(Uint8Array.of(2), bytes32(1n)), 77n)
    assert(verdict(forged.signature, joined(Uint8Array.of(2), bytes32(1n)), forged.digest))
    assert(!verdict(forged.signature, joined(Uint8Array.of(2), bytes32(FIELD + 1n)), forged.digest))
    assert(!verdict(forged.signature, joined(Uint8Array.of(3), bytes32(1n)), forged.digest))
  })

  it("refuses signatures and digests of other lengths", () => {
    for (const length of [0, 1, 31, 33, 63, 65, 128]) {
      const bytes = new Uint8Array(length).fill(1)
      assert(!verdict(bytes, key, digest))
      assert(!verdict(signature, key, bytes))
    }
  })
})
