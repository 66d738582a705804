import { assert, describe, it } from "@effect/vitest"
import { orphanage } from "../../../src/p2p/relay/orphanage/orphanage.ts"
import { RELAY_LIMITS } from "../../../src/p2p/relay/relay-limits.ts"
import type { ScannedTransaction } from "../../../src/p2p/relay/scan-transaction.ts"

const id = (i: number, kind: number): Uint8Array => {
  const bytes = new Uint8Array(32).fill(kind)
  new DataView(bytes.buffer).setUint32(0, i)
  return bytes
}

const orphan = (i: number, weight = 400): ScannedTransaction => ({
  bytes: new Uint8Array(0),
  txid: id(i, 1),
  wtxid: id(i, 2),
  hasWitness: true,
  inputs: 1,
  weight
})

describe("orphans of hostile peers", () => {
  it("CVE-2024-52914: however many wait for one parent, they are bounded, and forgotten without a trace", () => {
    const waiting = orphanage()
    const parent = id(7, 9)
    for (let i = 0; i < 20_000; i++) waiting.add(orphan(i, 1), [parent], [1])
    assert.isAtMost(waiting.size(), RELAY_LIMITS.orphanAnnouncements.most)
    assert.strictEqual(waiting.childrenOf(parent).length, waiting.size())
    waiting.gone(1)
    assert.deepStrictEqual([waiting.size(), waiting.childrenOf(parent).length], [0, 0])
  })

  it("a peer fills its own share and no other's", () => {
    const waiting = orphanage()
    const honest = orphan(1, 10_000)
    waiting.add(honest, [id(1, 9)], [1])
    for (let i = 2; i < 500; i++) waiting.add(orphan(i, 40_000), [id(2, 9)], [2])
    assert.isTrue(waiting.has(honest.wtxid))
    assert.isAtMost((waiting.size() - 1) * 40_000, RELAY_LIMITS.orphanWeight.most)
  })
})
