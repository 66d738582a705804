import { assert, describe, it } from "vitest"
import { hashOutPoint, hashTransaction, word } from "../../src/coins/outpoint-words.ts"

const TXID = Uint8Array.from({ length: 32 }, (_, i) => 0xf1 - i * 5)

/** The places of a transaction id that a hash depends on. */
const placesOf = (hash: (txid: Uint8Array) => number): ReadonlyArray<number> =>
  Array.from(TXID.keys()).filter((at) =>
    [1, 0x80].some((bit) => hash(TXID.map((byte, i) => i === at ? byte ^ bit : byte)) !== hash(TXID))
  )

/** The four bytes from each of these places on. */
const words = (...starts: ReadonlyArray<number>): ReadonlyArray<number> =>
  starts.flatMap((start) => [start, start + 1, start + 2, start + 3])

describe("the hashes of ids", () => {
  it("read four bytes as one number, lowest first, with its sign", () => {
    const bytes = Uint8Array.of(9, 0x78, 0x56, 0x34, 0x12, 0xff, 0xff, 0xff, 0xff)
    assert.deepStrictEqual([word(bytes, 1), word(bytes, 5)], [0x12345678, -1])
  })

  it("depend on one half of the bytes for coins, on the other for transactions, and on the seed", () => {
    assert.deepStrictEqual(placesOf((txid) => hashOutPoint(7, { txid, vout: 3 })), words(0, 8, 16, 24))
    assert.deepStrictEqual(placesOf((txid) => hashTransaction(7, txid)), words(4, 12, 20, 28))
    assert.notStrictEqual(hashOutPoint(7, { txid: TXID, vout: 3 }), hashOutPoint(7, { txid: TXID, vout: 4 }))
    assert.notStrictEqual(hashOutPoint(7, { txid: TXID, vout: 3 }), hashOutPoint(8, { txid: TXID, vout: 3 }))
    assert.notStrictEqual(hashTransaction(7, TXID), hashTransaction(8, TXID))
  })

  it("spread ids that differ little over all bits", () => {
    for (
      const hash of [
        (txid: Uint8Array) => hashTransaction(7, txid),
        (txid: Uint8Array) => hashOutPoint(7, { txid, vout: 0 })
      ]
    ) {
      const seen = new Set<number>()
      const ones = Array.from({ length: 32 }, () => 0)
      for (let number = 0; number < 4_096; number++) {
        const txid = new Uint8Array(32)
        for (const at of [0, 4]) txid[at + number % 4] = number >>> 4
        for (const at of [8, 12]) txid[at] = number & 0xff
        const value = hash(txid)
        seen.add(value)
        for (let bit = 0; bit < 32; bit++) ones[bit]! += (value >>> bit) & 1
      }
      assert.isAbove(seen.size, 4_090)
      for (const count of ones) assert.isTrue(count > 1_800 && count < 2_300, `${count}`)
    }
  })
})
