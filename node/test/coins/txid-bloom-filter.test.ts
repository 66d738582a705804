import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { addTxid, txidBloomFilter, mayContainTxid } from "../../src/coins/txid-bloom-filter.ts"

const txid = (number: number) => createHash("sha256").update(String(number)).digest()

describe("known transactions", () => {
  it("never says no to one that was added, and seldom maybe to another", () => {
    const known = txidBloomFilter(7, 2 ** 24, true)
    for (let i = 0; i < 300_000; i++) addTxid(known, txid(i))
    for (let i = 0; i < 300_000; i++) assert(mayContainTxid(known, txid(i)))
    let found = 0
    for (let i = 300_000; i < 400_000; i++) if (mayContainTxid(known, txid(i))) found++
    assert.isBelow(found, 4_000)
    assert.isTrue(known.isKept)
    assert.isAtMost(known.bytes, 2 ** 20)
  })

  it("says maybe to everything once there is no room, and frees the memory", () => {
    const known = txidBloomFilter(7, 2 ** 17, true)
    for (let i = 0; i < 104_000; i++) addTxid(known, txid(i))
    assert.isFalse(
      mayContainTxid(known, txid(-1)) && mayContainTxid(known, txid(-2)) && mayContainTxid(known, txid(-3))
    )
    for (let i = 104_000; i < 110_000; i++) addTxid(known, txid(i))
    assert.isTrue(mayContainTxid(known, txid(-1)) && mayContainTxid(known, txid(-2)) && mayContainTxid(known, txid(-3)))
    assert.strictEqual(known.bytes, 0)
  })

  it("says maybe to everything when the store had coins before", () => {
    const known = txidBloomFilter(7, 2 ** 24, false)
    addTxid(known, txid(1))
    assert.isTrue(mayContainTxid(known, txid(2)))
    assert.strictEqual(known.bytes, 0)
  })

  it("sets five bits for one, once, and none for one that it may have already", () => {
    const known = txidBloomFilter(7, 2 ** 24, true)
    assert.deepStrictEqual([known.bytes, known.layers.length], [0, 0])
    const bitsSet = () =>
      known.layers[0]!.bits.reduce((sum, word) => sum + word.toString(2).replaceAll(/[^1]/g, "").length, 0)
    addTxid(known, txid(1))
    addTxid(known, txid(1))
    assert.deepStrictEqual([known.bytes, bitsSet(), known.layers[0]!.free], [131_072, 5, 104_856])
  })

  it("grows to four times the size when a layer has its share, as far as there is room", () => {
    const both = 131_072 + 4 * 131_072
    for (const [maxBytes, isKept] of [[both, true], [both - 1, false]] as const) {
      const known = txidBloomFilter(7, maxBytes, true)
      let added = 0
      addTxid(known, txid(added++))
      while (known.layers[0]!.free > 0) addTxid(known, txid(added++))
      assert.deepStrictEqual([known.layers.length, known.bytes], [1, 131_072])
      while (known.layers.length === 1) addTxid(known, txid(added++))
      assert.deepStrictEqual([known.isKept, known.bytes, known.layers.length], isKept ? [true, both, 2] : [false, 0, 0])
      assert.strictEqual(known.layers[1]?.free, isKept ? 419_429 : undefined)
      assert.isTrue(mayContainTxid(known, txid(added - 1)) && mayContainTxid(known, txid(0)))
    }
  })
})
