import { assert, describe, it } from "vitest"
import { concatBytes } from "../../src/bytes/equal.ts"
import { merkleRoot, nobleCrypto } from "../../src/index.ts"

const leaf = (number: number): Uint8Array => new Uint8Array(32).fill(number)
const pair = (a: Uint8Array, b: Uint8Array): Uint8Array => nobleCrypto.sha256d(concatBytes([a, b]))
const rootOf = (...leaves: ReadonlyArray<Uint8Array>) => merkleRoot(concatBytes(leaves), nobleCrypto)

describe("merkleRoot", () => {
  it("of one hash is that hash, in an array of its own", () => {
    const given = Buffer.from(leaf(1))
    const { root } = merkleRoot(given, nobleCrypto)
    given[0] = 0xff
    assert.deepStrictEqual(Uint8Array.from(root), leaf(1))
  })

  it("of three repeats the last", () => {
    const left = pair(leaf(1), leaf(2))
    assert.deepStrictEqual(rootOf(leaf(1), leaf(2), leaf(3)), {
      root: pair(left, pair(leaf(3), leaf(3))),
      mutated: false
    })
  })

  it("distinguishes a list whose tail was repeated from the list itself (CVE-2012-2459)", () => {
    const [a, b, c] = [leaf(1), leaf(2), leaf(3)]
    assert.deepStrictEqual(rootOf(a, b, c).root, rootOf(a, b, c, c).root)
    assert.deepStrictEqual([rootOf(a, b, c).mutated, rootOf(a, b, c, c).mutated], [false, true])
  })

  it("sees twins on a higher level, and none in hashes that are equal but no siblings", () => {
    const [a, b] = [leaf(1), leaf(2)]
    assert.isTrue(rootOf(a, b, a, b).mutated)
    assert.isFalse(rootOf(a, b, b, a).mutated)
  })

  it("takes Buffers, also out of the middle of one, and writes to nothing", () => {
    for (let count = 1; count <= 9; count++) {
      const hashes = concatBytes(Array.from({ length: count }, (_, i) => leaf(i)))
      const around = Buffer.concat([Buffer.alloc(7, 9), hashes, Buffer.alloc(7, 9)])
      const before = Uint8Array.from(around)
      const { mutated, root } = merkleRoot(around.subarray(7, 7 + hashes.length), nobleCrypto)
      assert.deepStrictEqual([Uint8Array.from(root), mutated], [merkleRoot(hashes, nobleCrypto).root, false])
      assert.deepStrictEqual(Uint8Array.from(around), before)
    }
  })
})
