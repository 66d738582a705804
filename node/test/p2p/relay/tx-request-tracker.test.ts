import { assert, describe, it } from "@effect/vitest"
import { txRequestTracker } from "../../../src/p2p/relay/tx-request-tracker.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"

const hashOf = (value: number): Uint8Array => {
  const hash = new Uint8Array(32)
  new DataView(hash.buffer).setUint32(0, value)
  return hash
}
const named = (value: number) => ({ hash: hashOf(value), isWtxid: true })
const requests = (seed = 4) => txRequestTracker(seededRandom(seed))

describe("requests for announced transactions", () => {
  it("go to a preferred peer before any other, whatever random says, and to any of several", () => {
    const firstAsked = new Set<number>()
    for (let seed = 0; seed < 60; seed++) {
      const wanted = requests(seed)
      wanted.announced(1, named(7), false, unixMilliseconds(0), 0)
      wanted.announced(2, named(7), true, unixMilliseconds(0), 0)
      wanted.announced(3, named(7), true, unixMilliseconds(0), 0)
      wanted.announced(4, named(7), false, unixMilliseconds(0), 0)
      const [first] = wanted.due(unixMilliseconds(0))
      firstAsked.add(first!.peer)
      wanted.answered(first!.peer, hashOf(7))
      const [second] = wanted.due(unixMilliseconds(0))
      assert.deepStrictEqual([first!.peer, second!.peer].toSorted(), [2, 3])
    }
    assert.deepStrictEqual([...firstAsked].toSorted(), [2, 3])
  })

  it("wait for their delay, and 2 s more where 100 requests are under way with that peer", () => {
    const wanted = requests()
    wanted.announced(1, named(0), false, unixMilliseconds(0), 500)
    assert.deepStrictEqual(wanted.due(unixMilliseconds(499)), [])
    assert.strictEqual(wanted.due(unixMilliseconds(500)).length, 1)
    for (let i = 1; i < 100; i++) wanted.announced(1, named(i), false, unixMilliseconds(500), 0)
    wanted.due(unixMilliseconds(500))
    assert.strictEqual(wanted.inFlight(1), 100)
    wanted.announced(1, named(200), false, unixMilliseconds(500), 0)
    assert.deepStrictEqual(wanted.due(unixMilliseconds(2_499)), [])
    assert.strictEqual(wanted.due(unixMilliseconds(2_500)).length, 1)
    wanted.answered(1, hashOf(5))
    wanted.answered(1, hashOf(6))
    wanted.announced(1, named(201), false, unixMilliseconds(2_500), 0)
    assert.strictEqual(wanted.due(unixMilliseconds(2_500)).length, 1, "99 are no crowd")
  })

  it("name a transaction to each peer by the id that this peer announced, also where both ids are the same", () => {
    const wanted = requests()
    wanted.announced(1, { hash: hashOf(7), isWtxid: true }, true, unixMilliseconds(0), 0)
    wanted.announced(2, { hash: hashOf(7), isWtxid: false }, false, unixMilliseconds(0), 0)
    assert.deepStrictEqual(wanted.due(unixMilliseconds(0)), [{ peer: 1, names: [{ hash: hashOf(7), isWtxid: true }] }])
    assert.deepStrictEqual(wanted.due(unixMilliseconds(60_000)), [
      { peer: 2, names: [{ hash: hashOf(7), isWtxid: false }] }
    ])
  })

  it("are given up after a minute; the transaction is forgotten when no other peer has it", () => {
    const wanted = requests()
    wanted.announced(1, named(7), false, unixMilliseconds(0), 0)
    wanted.due(unixMilliseconds(0))
    wanted.due(unixMilliseconds(59_999))
    assert.deepStrictEqual([wanted.inFlight(1), wanted.size()], [1, 1])
    wanted.due(unixMilliseconds(60_000))
    assert.deepStrictEqual([wanted.inFlight(1), wanted.size()], [0, 0])
    assert.deepStrictEqual(wanted.announcers(hashOf(7)), [])
  })

  it("are remembered once for each peer and transaction", () => {
    const wanted = requests()
    assert.isTrue(wanted.announced(1, named(7), false, unixMilliseconds(0), 0))
    assert.isFalse(wanted.announced(1, named(7), false, unixMilliseconds(0), 0))
    assert.isTrue(wanted.announced(2, named(7), false, unixMilliseconds(0), 0))
    assert.deepStrictEqual([wanted.size(), wanted.announcers(hashOf(7)).toSorted()], [2, [1, 2]])
  })

  it("of a peer that leaves go to the next, and nothing of it is left", () => {
    const wanted = requests()
    wanted.announced(1, named(7), true, unixMilliseconds(0), 0)
    wanted.announced(2, named(7), false, unixMilliseconds(0), 0)
    wanted.announced(1, named(8), true, unixMilliseconds(0), 0)
    assert.deepStrictEqual(wanted.due(unixMilliseconds(0)).map(({ peer }) => peer), [1])
    wanted.gone(1)
    assert.deepStrictEqual([wanted.inFlight(1), wanted.size(), wanted.announcers(hashOf(7))], [0, 1, [2]])
    assert.deepStrictEqual(wanted.due(unixMilliseconds(0)).map(({ names, peer }) => [peer, names.length]), [[2, 1]])
    assert.deepStrictEqual(wanted.announcers(hashOf(8)), [])
  })

  it("are not made any more for what is forgotten, and an answer of a peer that was not asked changes nothing", () => {
    const wanted = requests()
    wanted.announced(1, named(7), false, unixMilliseconds(0), 0)
    wanted.announced(2, named(7), false, unixMilliseconds(0), 0)
    const [asked] = wanted.due(unixMilliseconds(0))
    const other = 3 - asked!.peer
    wanted.answered(other, hashOf(7))
    assert.strictEqual(wanted.inFlight(asked!.peer), 1)
    wanted.answered(9, hashOf(7))
    wanted.answered(asked!.peer, hashOf(99))
    assert.strictEqual(wanted.size(), 2)
    wanted.forget(hashOf(7))
    wanted.forget(hashOf(99))
    assert.deepStrictEqual([wanted.size(), wanted.inFlight(asked!.peer), wanted.due(unixMilliseconds(100_000))], [
      0,
      0,
      []
    ])
  })

  it("keep 5,000 announcements of a peer; of an inbound one 1,000 once there are 200,000 in all", () => {
    const wanted = requests()
    for (let peer = 0; peer < 40; peer++) {
      for (let i = 0; i < 5_000; i++) {
        assert.isTrue(wanted.announced(peer, named(peer * 5_000 + i), false, unixMilliseconds(0), 0))
      }
    }
    assert.isFalse(wanted.announced(0, named(1_000_000), false, unixMilliseconds(0), 0))
    for (let i = 0; i < 1_000; i++) {
      assert.isTrue(wanted.announced(50, named(2_000_000 + i), false, unixMilliseconds(0), 0))
    }
    assert.isFalse(wanted.announced(50, named(3_000_000), false, unixMilliseconds(0), 0))
    for (let i = 0; i < 5_000; i++) {
      assert.isTrue(wanted.announced(51, named(4_000_000 + i), true, unixMilliseconds(0), 0))
    }
    assert.isFalse(wanted.announced(51, named(5_000_000), true, unixMilliseconds(0), 0))
  })
})
