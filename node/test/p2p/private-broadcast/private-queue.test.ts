import { assert, describe, it } from "@effect/vitest"
import type { Transaction } from "@lockstep/kernel/model"
import { privateQueue, type PrivateTransaction } from "../../../src/p2p/private-broadcast/private-queue.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"

const at = (seconds: number) => unixMilliseconds(1_600_000_000_000 + seconds * 1_000)

const transactionOf = (id: number): PrivateTransaction => ({
  transaction: { bytes: Uint8Array.of(id) } as Transaction,
  txid: new Uint8Array(32).fill(id),
  wtxid: new Uint8Array(32).fill(100 + id)
})

const [first, second, third] = [transactionOf(1), transactionOf(2), transactionOf(3)]

/** The first bytes of the txids. */
const names = (found: ReadonlyArray<PrivateTransaction>): ReadonlyArray<number> => found.map(({ txid }) => txid[0]!)

describe("the queue of private broadcasts", () => {
  it("has a transaction once, by wtxid, and 10,000 at most", () => {
    const queue = privateQueue()
    assert.strictEqual(queue.add(first, at(0)), "added")
    assert.strictEqual(queue.add(first, at(1)), "known")
    assert.strictEqual(queue.add({ ...first, wtxid: new Uint8Array(32).fill(9) }, at(1)), "added")
    assert.strictEqual(queue.size(), 2)
    for (let i = 2; i < 10_000; i++) {
      const wtxid = new Uint8Array(32)
      new DataView(wtxid.buffer).setUint32(0, i)
      assert.strictEqual(queue.add({ ...first, wtxid }, at(2)), "added")
    }
    assert.strictEqual(queue.add(third, at(3)), "full")
    assert.strictEqual(queue.add(first, at(3)), "known")
  })

  it("picks what was sent least, then confirmed least, then sent longest ago, then added first", () => {
    const queue = privateQueue()
    assert.isUndefined(queue.pick(0, "a:1", at(0)))
    for (const each of [first, second, third]) queue.add(each, at(0))
    const pick = (peer: number, seconds: number) => queue.pick(peer, `peer${peer}:1`, at(seconds))!.txid[0]
    assert.deepStrictEqual([pick(1, 9), pick(2, 8), pick(3, 7)], [1, 2, 3])
    queue.confirm(3, at(10))
    assert.deepStrictEqual([pick(4, 11), pick(5, 12), pick(6, 13)], [2, 1, 3])
    assert.deepStrictEqual(queue.pickedFor(4)?.txid, second.txid)
    assert.isUndefined(queue.pickedFor(7))
    const sends = queue.all()[2]!.sends.map(({ address, confirmedAt, sentAt }) => [address, sentAt, confirmedAt])
    assert.deepStrictEqual(sends, [["peer3:1", at(7), at(10)], ["peer6:1", at(13), undefined]])
  })

  it("answers how many peers had confirmed what is removed, and nothing more of it", () => {
    const queue = privateQueue()
    queue.add(first, at(0))
    for (const peer of [1, 2, 3]) queue.pick(peer, "a:1", at(peer))
    queue.confirm(1, at(5))
    queue.confirm(3, at(6))
    queue.confirm(8, at(6))
    assert.strictEqual(queue.remove(first.wtxid)?.confirmed, 2)
    assert.isUndefined(queue.remove(first.wtxid))
    assert.isUndefined(queue.pickedFor(2))
    assert.deepStrictEqual([queue.gone(1), queue.gone(2), queue.gone(9)], [true, false, false])
    assert.isFalse(queue.gone(1), "once")
  })

  it("finds transactions by txid and by wtxid", () => {
    const queue = privateQueue()
    const otherWitness = { ...first, wtxid: new Uint8Array(32).fill(77) }
    for (const each of [first, second, otherWitness]) queue.add(each, at(0))
    assert.deepStrictEqual(names(queue.withId(first.txid)), [1, 1])
    assert.deepStrictEqual(names(queue.withId(second.wtxid)), [2])
    assert.deepStrictEqual(queue.withId(third.txid), [])
  })

  it("has stale what none confirmed for 5 minutes, or none again for 1 minute", () => {
    const queue = privateQueue()
    queue.add(first, at(0))
    queue.add(second, at(0))
    queue.pick(1, "a:1", at(1))
    queue.pick(2, "b:1", at(1))
    queue.confirm(2, at(2))
    assert.deepStrictEqual(names(queue.stale(at(62))), [])
    assert.deepStrictEqual(names(queue.stale(at(63))), [2])
    assert.deepStrictEqual(names(queue.stale(at(300))), [2])
    assert.deepStrictEqual(names(queue.stale(at(301))), [1, 2])
    queue.pick(3, "c:1", at(302))
    queue.confirm(3, at(303))
    assert.deepStrictEqual(names(queue.stale(at(304))), [2])
  })
})
