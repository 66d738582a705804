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
})
