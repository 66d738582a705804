import { assert, describe, it } from "@effect/vitest"
import { orphanage, type Orphanage } from "../../../src/p2p/relay/orphanage/orphanage.ts"
import type { ScannedTransaction } from "../../../src/p2p/relay/scan-transaction.ts"

const id = (value: number, kind: number): Uint8Array => {
  const bytes = new Uint8Array(32).fill(kind)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

const PARENT = id(0, 9)

const orphan = (value: number, { inputs = 1, weight = 100 } = {}): ScannedTransaction => ({
  bytes: new Uint8Array(0),
  txid: id(value, 1),
  wtxid: id(value, 2),
  hasWitness: true,
  inputs,
  weight
})

/** Which of the orphans `first` to `last` are kept. */
const retain = (kept: Orphanage, first: number, last: number): ReadonlyArray<number> =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i).filter((value) => kept.has(id(value, 2)))

describe("the orphanage", () => {
  it("evicts the oldest orphan of the flooder when 3,000 announcements are held, and keeps a newcomer's only one", () => {
    const kept = orphanage()
    for (let i = 1; i <= 3_000; i++) kept.add(orphan(i), [PARENT], [1])
    assert.strictEqual(kept.size(), 3_000)
    kept.add(orphan(10_000), [PARENT], [2])
    assert.strictEqual(kept.size(), 3_000)
    assert.isTrue(kept.has(id(10_000, 2)))
    assert.deepStrictEqual(retain(kept, 1, 3), [2, 3])
  })

  it("evicts of the peer with the highest score, not of the one with the most orphans", () => {
    const kept = orphanage()
    for (let i = 1; i <= 1_600; i++) kept.add(orphan(i), [PARENT], [1])
    // Each counts as one and one more for every ten inputs: 127 of them as 1,397.
    for (let i = 1; i <= 127; i++) kept.add(orphan(10_000 + i, { inputs: 100 }), [PARENT], [2])
    kept.add(orphan(20_000, { inputs: 39 }), [PARENT], [3])
    assert.deepStrictEqual(retain(kept, 1, 3), [2, 3], "1,600 + 1,397 + 4 is one too many")
    for (let i = 1; i <= 30; i++) kept.add(orphan(10_200 + i, { inputs: 100 }), [PARENT], [2])
    assert.deepStrictEqual(
      retain(kept, 10_001, 10_002).length,
      0,
      "now the peer with fewer, larger ones has the highest score"
    )
    assert.isTrue(kept.has(id(20_000, 2)))
  })

  it("counts an announcement for each peer that has the orphan, and loses it when the last one goes", () => {
    const kept = orphanage()
    for (let i = 1; i <= 1_000; i++) kept.add(orphan(i), [PARENT], [1, 2, 3])
    assert.strictEqual(kept.size(), 1_000)
    kept.add(orphan(2_000), [PARENT], [4])
    assert.strictEqual(kept.size(), 1_001, "the oldest loses one of its three peers")
    assert.strictEqual(kept.get(id(1, 2))!.peers.size, 2)
    kept.gone(1)
    kept.gone(2)
    kept.gone(3)
    assert.strictEqual(kept.size(), 1)
  })

  it("frees what it counted: after a removal and after a peer left there is room again", () => {
    const kept = orphanage()
    for (let round = 0; round < 3; round++) {
      for (let i = 1; i <= 3_000; i++) kept.add(orphan(i), [PARENT], [1])
      assert.strictEqual(kept.size(), 3_000)
      for (let i = 1; i <= 1_000; i++) kept.remove(id(i, 2))
      for (let i = 4_001; i <= 5_000; i++) kept.add(orphan(i), [PARENT], [1])
      assert.strictEqual(retain(kept, 1_001, 3_000).length, 2_000, "nothing was evicted")
      kept.gone(1)
      assert.deepStrictEqual([kept.size(), kept.childrenOf(PARENT).length], [0, 0])
    }
  })

  it("allows 404,000 weight units a peer, evicts the oldest beyond, and takes one orphan however heavy it is", () => {
    const kept = orphanage()
    kept.add(orphan(1, { weight: 400_000 }), [PARENT], [1])
    kept.add(orphan(2, { weight: 4_000 }), [PARENT], [1])
    assert.deepStrictEqual(retain(kept, 1, 2), [1, 2])
    kept.add(orphan(3, { weight: 1 }), [PARENT], [1])
    assert.deepStrictEqual(retain(kept, 1, 3), [2, 3])
    kept.add(orphan(4, { weight: 400_000 }), [PARENT], [2])
    assert.deepStrictEqual(retain(kept, 1, 4), [2, 3, 4])
    kept.add(orphan(5, { weight: 400_001 }), [PARENT], [3])
    assert.isFalse(kept.has(id(5, 2)), "heavier than what is relayed")
  })

  it("takes nothing from no peer, and the same orphan from the same peer once", () => {
    const kept = orphanage()
    kept.add(orphan(1), [PARENT], [])
    assert.strictEqual(kept.size(), 0)
    for (let i = 0; i < 5_000; i++) kept.add(orphan(1), [PARENT], [1])
    for (let i = 2; i <= 3_000; i++) kept.add(orphan(i), [PARENT], [1])
    assert.strictEqual(kept.size(), 3_000)
  })

  it("finds what spends an outpoint, and nothing when it is empty", () => {
    assert.deepStrictEqual(orphanage().spenders(new Uint8Array(36)), [])
  })
})
