import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { addKnown, knownTransactions, mayBeKnown } from "../../src/coins/known-transactions.ts"

const txid = (number: number) => createHash("sha256").update(String(number)).digest()

describe("known transactions", () => {
  it("never says no to one that was added, and seldom maybe to another", () => {
    const known = knownTransactions(7, 2 ** 24, true)
    for (let i = 0; i < 300_000; i++) addKnown(known, txid(i))
    for (let i = 0; i < 300_000; i++) assert(mayBeKnown(known, txid(i)))
    let strangers = 0
    for (let i = 300_000; i < 400_000; i++) if (mayBeKnown(known, txid(i))) strangers++
    assert.isBelow(strangers, 4_000)
    assert.isTrue(known.isKept)
    assert.isAtMost(known.bytes, 2 ** 20)
  })

  it("says maybe to everything once there is no room, and lets go of the memory", () => {
    const known = knownTransactions(7, 2 ** 17, true)
    for (let i = 0; i < 104_000; i++) addKnown(known, txid(i))
    assert.isFalse(mayBeKnown(known, txid(-1)) && mayBeKnown(known, txid(-2)) && mayBeKnown(known, txid(-3)))
    for (let i = 104_000; i < 110_000; i++) addKnown(known, txid(i))
    assert.isTrue(mayBeKnown(known, txid(-1)) && mayBeKnown(known, txid(-2)) && mayBeKnown(known, txid(-3)))
    assert.strictEqual(known.bytes, 0)
  })

  it("says maybe to everything when the store had coins before", () => {
    const known = knownTransactions(7, 2 ** 24, false)
    addKnown(known, txid(1))
    assert.isTrue(mayBeKnown(known, txid(2)))
    assert.strictEqual(known.bytes, 0)
  })
})
