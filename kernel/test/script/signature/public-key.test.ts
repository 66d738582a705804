import { assert, describe, it } from "vitest"
import { ecdsaPublicKey } from "../../../src/signature/public-key.ts"
import { COMPRESSED_KEY, HYBRID_KEY } from "../../signing.ts"

describe("ecdsaPublicKey", () => {
  it("turns a hybrid key into an uncompressed one and leaves the given bytes alone", () => {
    for (const given of [Uint8Array.from(HYBRID_KEY), Buffer.from(HYBRID_KEY)]) {
      const point = ecdsaPublicKey(given)!
      assert.strictEqual(point[0], 4)
      assert.deepStrictEqual(Uint8Array.from(point.subarray(1)), HYBRID_KEY.subarray(1))
      assert.deepStrictEqual(Uint8Array.from(given), HYBRID_KEY)
    }
  })

  it("takes a hybrid key out of the middle of a Buffer without touching what stands around it", () => {
    const around = Buffer.concat([Buffer.alloc(9, 1), HYBRID_KEY, Buffer.alloc(9, 1)])
    const before = Uint8Array.from(around)
    assert.strictEqual(ecdsaPublicKey(around.subarray(9, 9 + 65))![0], 4)
    assert.deepStrictEqual(Uint8Array.from(around), before)
  })

  it("refuses a hybrid key that states the other parity", () => {
    const wrong = Buffer.from(HYBRID_KEY)
    wrong[0] = wrong[0]! ^ 1
    assert.isUndefined(ecdsaPublicKey(wrong))
  })

  it("answers the other forms with the key itself", () => {
    assert.strictEqual(ecdsaPublicKey(COMPRESSED_KEY), COMPRESSED_KEY)
    assert.isUndefined(ecdsaPublicKey(COMPRESSED_KEY.subarray(1)))
    assert.isUndefined(ecdsaPublicKey(new Uint8Array(0)))
  })
})
