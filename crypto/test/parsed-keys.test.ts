import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { libsecp256k1Provider } from "../src/libsecp256k1.ts"
import { PARSED_KEY_SIZE, PARSED_KEYS_SIZE, parsedKeys } from "../src/parsed-keys.ts"
import { bytesOfKey, noPointLike } from "./same-slot-keys.ts"
import { ecdsaKey, ecdsaSign, secretFrom } from "./signing.ts"

const SCRATCH = 0
const TABLE = 64
const LENGTH = 33

/** Memory in which a key is parsed by copying it; one whose first byte is odd is no point. */
const table = () => {
  const bytes = new Uint8Array(TABLE + PARSED_KEYS_SIZE)
  let parsed = 0
  const find = parsedKeys(
    { address: 0, bytes },
    { length: LENGTH, scratch: SCRATCH, table: TABLE },
    (to, from, length) => {
      parsed++
      bytes.fill(0, to, to + PARSED_KEY_SIZE)
      if ((bytes[from]! & 1) === 1) return false
      bytes.copyWithin(to, from, from + length)
      return true
    }
  )
  return { bytes, find, count: () => parsed }
}

const key = fc.record({ first: fc.nat(3), middle: fc.nat(2), last: fc.nat(1) }).map(bytesOfKey)

describe("parsed keys", () => {
  it("are those of the key that is asked for, whatever was asked before and whatever lies in the same place", () => {
    fc.assert(fc.property(fc.array(key, { maxLength: 60 }), (keys) => {
      const { bytes, find } = table()
      for (const each of keys) {
        const at = find(each)
        if ((each[0]! & 1) === 1) assert.strictEqual(at, 0)
        else assert.deepStrictEqual(bytes.slice(at, at + LENGTH), each)
      }
    }))
  })

  it("are parsed once as long as no four others have come to the same places", () => {
    const { count, find } = table()
    const [good, ...others] = [0, 1, 2, 3, 4].map((middle) => bytesOfKey({ first: 2, middle, last: 0 }))
    const bad = bytesOfKey({ first: 3, middle: 0, last: 0 })
    const ask = (each: Uint8Array): number => {
      const before = count()
      for (let i = 0; i < 5; i++) assert.notStrictEqual(find(each), 0)
      return count() - before
    }
    assert.strictEqual(ask(good!), 1)
    for (const other of others.slice(0, 3)) assert.strictEqual(ask(other), 1)
    assert.strictEqual(ask(good!), 0)
    assert.strictEqual(ask(others[3]!), 1)
    assert.strictEqual(ask(good!), 1)
    // A key that is no point takes the place of one that is.
    assert.strictEqual(ask(others[1]!), 0)
    assert.strictEqual(find(bad), 0)
    assert.strictEqual(ask(others[1]!), 1)
  })

  const provider = libsecp256k1Provider()
  it.skipIf(!provider.available)("verify as before after a key that is no point has taken their place", () => {
    assert(provider.available)
    const { ecdsaVerify, schnorrVerify } = provider.crypto
    const secret = secretFrom(new Uint8Array(32).fill(7))
    const digest = new Uint8Array(32).fill(9)
    const [right, signature] = [ecdsaKey(secret), ecdsaSign(secret, digest)]
    const wrong = noPointLike(right)
    for (let i = 0; i < 3; i++) {
      assert.isTrue(ecdsaVerify(signature, right, digest))
      assert.isFalse(ecdsaVerify(signature, wrong, digest))
      assert.isFalse(schnorrVerify(signature, wrong.subarray(1), digest))
      assert.isFalse(schnorrVerify(signature, right.subarray(1), digest))
    }
  })
})
