import { assert, describe, it } from "vitest"
import { mempoolReplica, type ReplicatedTransaction } from "../../../src/p2p/chain/mempool-replica.ts"
import { hashKey } from "../../../src/p2p/basics/hash-key.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"

const SEED = Number(process.env["LOCKSTEP_SEED"] ?? Date.now() % 1_000_000)

const random = seededRandom(SEED)

const made = (sequence: number): ReplicatedTransaction => ({
  txid: random.bytes(32),
  wtxid: random.bytes(32),
  fee: BigInt(random.below(2 ** 40)) * 1_000n,
  virtualSize: random.below(2 ** 31),
  sequence
})

describe("the copy of the mempool", () => {
  it(`finds what is in by either id, and nothing else, as a map does (LOCKSTEP_SEED=${SEED})`, () => {
    const copy = mempoolReplica(SEED)
    const model = new Map<string, ReplicatedTransaction>()
    const gone: Array<ReplicatedTransaction> = []
    for (let step = 1; step <= 3_000; step++) {
      const known = [...model.values()]
      if (random.below(5) < 3 || known.length === 0) {
        const one = made(step)
        copy.add(one)
        copy.add({ ...one, fee: 0n })
        model.set(hashKey(one.txid), one)
      } else {
        const one = known[random.below(known.length)]!
        assert.deepStrictEqual(copy.remove(one.txid), one)
        assert.isUndefined(copy.remove(one.txid))
        model.delete(hashKey(one.txid))
        gone.push(one)
      }
    }
    assert.strictEqual(copy.size(), model.size)
    for (const one of model.values()) {
      assert.deepStrictEqual([copy.find("txid", one.txid), copy.find("wtxid", one.wtxid)], [one, one])
      assert.deepStrictEqual([copy.has("wtxid", one.txid), copy.has("txid", one.wtxid)], [false, false])
    }
    for (const { txid, wtxid } of gone) assert.isFalse(copy.has("txid", txid) || copy.has("wtxid", wtxid))
  })

  it("numbers changes from 1, and those that came back from a block not at all", () => {
    const copy = mempoolReplica(1)
    assert.strictEqual(copy.sequence(), 1)
    copy.add(made(7))
    copy.add(made(0))
    assert.strictEqual(copy.sequence(), 8)
    copy.add(made(3))
    assert.strictEqual(copy.sequence(), 8)
  })

  it("knows who was fetched, until it leaves", () => {
    const copy = mempoolReplica(1)
    const one = made(1)
    assert.isFalse(copy.fetch(one.txid))
    copy.add(one)
    assert.deepStrictEqual([copy.fetch(one.txid), copy.fetch(one.txid)], [true, false])
    copy.remove(one.txid)
    copy.add(one)
    assert.isTrue(copy.fetch(one.txid))
  })
})
