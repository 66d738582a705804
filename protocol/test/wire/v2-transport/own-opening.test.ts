import { assert, describe, it } from "vitest"
import { ownOpening } from "../../../src/wire/v2-transport/own-opening.ts"
import type { TransportCrypto } from "../../../src/wire/v2-transport/transport-crypto.ts"

/** An opening where the key is drawn as `key`, and the greatest garbage is wanted or none. */
const openingOf = (key: Uint8Array, mostGarbage: boolean) => {
  const encoded: Array<readonly [key: Uint8Array, entropy: number]> = []
  const crypto = {
    encodePublicKey: (privateKey: Uint8Array, entropy: Uint8Array) => {
      encoded.push([privateKey.slice(), entropy.length])
      return new Uint8Array(64).fill(9)
    }
  } as unknown as TransportCrypto
  const bounds: Array<number> = []
  let draws = 0
  const opening = ownOpening(crypto, {
    below: (bound) => {
      bounds.push(bound)
      return mostGarbage ? bound - 1 : 0
    },
    bytes: (count) => draws++ === 0 ? key.slice() : new Uint8Array(count).fill(5)
  })
  return { opening, encoded, bounds }
}

const ZERO = new Uint8Array(32)

describe("what this side sends first", () => {
  it("is the key as it was drawn, and from no byte of garbage to 4,095", () => {
    const key = Uint8Array.from({ length: 32 }, (_, i) => i)
    const { bounds, encoded, opening } = openingOf(key, true)
    assert.deepStrictEqual([opening.privateKey, bounds], [key, [4_096]])
    assert.deepStrictEqual(encoded, [[key, 32]])
    assert.strictEqual(opening.encoded.length, 64)
    assert.strictEqual(opening.garbage.length, 4_095)
    assert.strictEqual(openingOf(key, false).opening.garbage.length, 0)
  })

  it("is another key in place of zero, or of one that may not be below the group order", () => {
    const large = new Uint8Array(32).fill(0xff, 0, 15)
    assert.deepStrictEqual(openingOf(ZERO, false).opening.privateKey, Uint8Array.of(1, ...ZERO.subarray(1)))
    assert.deepStrictEqual(openingOf(large, false).opening.privateKey, Uint8Array.of(0xfe, ...large.subarray(1)))
  })

  it("is the same key where one byte is not zero, or one of the first fifteen is not 255", () => {
    for (const at of [0, 14, 15, 31]) {
      const nearlyZero = ZERO.slice()
      nearlyZero[at] = 1
      assert.deepStrictEqual(openingOf(nearlyZero, false).opening.privateKey, nearlyZero)
    }
    for (const at of [0, 14]) {
      const nearlyLarge = new Uint8Array(32).fill(0xff)
      nearlyLarge[at] = 0xfe
      assert.deepStrictEqual(openingOf(nearlyLarge, false).opening.privateKey, nearlyLarge)
    }
  })
})
