import { assert, describe, it } from "vitest"
import { crc32 } from "node:zlib"
import { makeSealer, sealHolds } from "../../../src/storage/key-value/seal.ts"

const filled = (size: number, seed: number): Uint8Array => Uint8Array.from({ length: size }, (_, i) => i * 31 + seed)

/** The form as it is described: a checksum of key and value behind the value, lowest byte first. */
const sealed = (key: Uint8Array, value: Uint8Array): Uint8Array => {
  const sum = Buffer.alloc(4)
  sum.writeUInt32LE(crc32(Buffer.concat([key, value])))
  return new Uint8Array(Buffer.concat([value, sum]))
}

describe("the seal of a value", () => {
  const seal = makeSealer()

  it("is the CRC-32 of key and value, whatever their sizes", () => {
    for (const keySize of [1, 36, 127, 128, 511]) {
      for (const size of [0, 1, 63, 127, 128, 129, 4_091, 4_092, 4_093, 9_000, 5]) {
        const [key, value] = [filled(keySize, 7), filled(size, keySize)]
        const stored = seal(key, value)
        assert.deepStrictEqual(stored, sealed(key, value), `${keySize} and ${size} bytes`)
        assert.isTrue(sealHolds(key, stored, stored.length))
      }
    }
  })

  it("does not hold where a bit of key, value or seal differs, or a byte is missing", () => {
    for (const size of [3, 200]) {
      const [key, value] = [filled(9, 1), filled(size, 2)]
      const stored = sealed(key, value)
      for (let at = 0; at < stored.length; at++) {
        for (const bit of [1, 0x80]) {
          const other = stored.slice()
          other[at]! ^= bit
          assert.isFalse(sealHolds(key, other, other.length), `byte ${at}`)
        }
      }
      assert.isFalse(sealHolds(filled(9, 2), stored, stored.length))
      assert.isFalse(sealHolds(key, stored, stored.length - 1))
      const more = new Uint8Array(stored.length + 50)
      more.set(stored)
      assert.isTrue(sealHolds(key, more, stored.length), "of a larger buffer")
    }
  })

  it("is none of fewer than four bytes, and may be all there is", () => {
    const key = filled(5, 5)
    for (let size = 0; size < 4; size++) assert.isFalse(sealHolds(key, new Uint8Array(size), size))
    assert.isTrue(sealHolds(key, sealed(key, new Uint8Array(0)), 4))
  })
})
