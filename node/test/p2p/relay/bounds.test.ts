import { assert, describe, it } from "@effect/vitest"
import { dueHeap } from "../../../src/p2p/basics/due-heap.ts"
import { RELAY_LIMITS } from "../../../src/p2p/relay/relay-limits.ts"
import { rollingFilter } from "../../../src/p2p/relay/rolling-filter.ts"
import { scanTransaction } from "../../../src/p2p/relay/scan-transaction.ts"
import { txRequestTracker } from "../../../src/p2p/relay/tx-request-tracker.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { unconfirmedTransaction } from "./pool-transaction.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"

const hashOf = (value: number): Uint8Array => {
  const hash = new Uint8Array(32)
  new DataView(hash.buffer).setUint32(0, value)
  return hash
}

const named = (value: number) => ({ hash: hashOf(value), isWtxid: true })

describe("a rolling set", () => {
  it("remembers the last so many, and forgets what is older than twice that", () => {
    const set = rollingFilter(1_000, seededRandom(1))
    for (let i = 0; i < 10_000; i++) {
      set.add(hashOf(i))
      if (i % 997 === 0) {
        for (let back = 0; back < Math.min(i + 1, 1_000); back += 37) assert.isTrue(set.has(hashOf(i - back)))
      }
    }
    for (let i = 0; i < 8_000; i++) assert.isFalse(set.has(hashOf(i)))
    set.clear()
    assert.isFalse(set.has(hashOf(9_999)))
  })

  it("never takes an unknown hash for one of its own", () => {
    const set = rollingFilter(20_000, seededRandom(2))
    for (let i = 0; i < 20_000; i++) set.add(hashOf(2 * i))
    for (let i = 0; i < 20_000; i++) assert.isFalse(set.has(hashOf(2 * i + 1)))
  })
})

describe("the fingerprint of a hash", () => {
  /** With this key a word is folded in by xor, and the sum then xored with itself shifted by 15 or by 13 bits. */
  const plainKey = { ...seededRandom(1), bytes: (count: number) => new Uint8Array(count) }
  const fold = (word: number, shift: number): number => (word ^ (word >>> shift)) >>> 0
  /** A hash whose second word undoes what one half of the fingerprint has of the first. */
  const undone = (word: number, shift: number): Uint8Array => {
    const hash = new Uint8Array(32)
    const view = new DataView(hash.buffer)
    view.setUint32(0, word, true)
    view.setUint32(4, fold(word, shift), true)
    return hash
  }

  it("depends on every word of it", () => {
    for (let at = 0; at < 32; at++) {
      const set = rollingFilter(10, seededRandom(1))
      const [one, other] = [new Uint8Array(32).fill(5), new Uint8Array(32).fill(5)]
      other[at] = 6
      set.add(one)
      assert.deepStrictEqual([set.has(one), set.has(other)], [true, false], `byte ${at}`)
    }
  })

  it("differs where only one half of it does, also where another stands in the same slot", () => {
    for (const shift of [15, 13]) {
      const set = rollingFilter(1_000, plainKey)
      const words = Array.from({ length: 300 }, (_, i) => 0x01_00_10_01 * (i + 1))
      for (const word of words) set.add(undone(word, shift))
      for (const word of words) {
        assert.deepStrictEqual([set.has(undone(word, shift)), set.has(undone(word + 0x8000, shift))], [true, false])
      }
    }
  })

  it("is none of an empty slot", () => {
    const set = rollingFilter(10, plainKey)
    const zero = new Uint8Array(32)
    assert.isFalse(set.has(zero))
    set.add(zero)
    assert.isTrue(set.has(zero))
  })

  it("begins with another key for each node", () => {
    const keys: Array<number> = []
    const random = seededRandom(1)
    rollingFilter(10, { ...random, bytes: (count) => (keys.push(count), random.bytes(count)) })
    assert.deepStrictEqual(keys, [64])
  })
})

describe("what is due", () => {
  it("comes in order of time, and of pushing where that is the same", () => {
    const heap = dueHeap<number>()
    const random = seededRandom(3)
    const times = Array.from({ length: 500 }, () => random.below(50))
    for (const [i, at] of times.entries()) heap.push(at, i)
    heap.keep((i) => i % 3 !== 0)
    const wanted = times.map((at, i) => ({ at, i })).filter(({ i }) => i % 3 !== 0).toSorted((a, b) =>
      a.at - b.at || a.i - b.i
    )
    const found: Array<number> = []
    for (let now = 0; now < 50; now++) {
      for (
        let next = heap.popDue(unixMilliseconds(now));
        next !== undefined;
        next = heap.popDue(unixMilliseconds(now))
      ) found.push(next)
    }
    assert.deepStrictEqual(found, wanted.map(({ i }) => i))
  })
})

describe("requests for transactions", () => {
  it("CVE-2024-52913: announcements of one peer do not push out those of another", () => {
    const requests = txRequestTracker(seededRandom(4))
    assert.isTrue(requests.announced(1, named(0), false, unixMilliseconds(0), 0))
    for (let i = 1; i < 7_000; i++) requests.announced(2, named(i), false, unixMilliseconds(0), 0)
    assert.strictEqual(requests.size(), 1 + RELAY_LIMITS.announcements.most)
    assert.isTrue(requests.due(unixMilliseconds(0)).some(({ names, peer }) => peer === 1 && names.length === 1))
  })

  it("CVE-2018-17145: in a crowd of inbound peers each may announce, but less of it is kept", () => {
    const requests = txRequestTracker(seededRandom(5))
    const { announcements, announcementsInCrowd, announcementsOfAll } = RELAY_LIMITS
    const crowd = announcementsOfAll.most / announcements.most
    const announce = (peer: number, most: number): void => {
      for (let i = 0; i < most; i++) {
        requests.announced(peer, named(peer * announcements.most + i), false, unixMilliseconds(0), 0)
      }
    }
    for (let peer = 1; peer < crowd; peer++) announce(peer, announcements.most)
    announce(crowd, announcements.most - announcementsInCrowd.most)
    // With the last that this one may announce, all together are as many as make a crowd.
    announce(0, announcements.most)
    assert.strictEqual(requests.size(), announcementsOfAll.most)
    announce(crowd + 2, announcements.most)
    assert.strictEqual(requests.size(), announcementsOfAll.most + announcementsInCrowd.most)
    assert.isTrue(requests.announced(crowd + 1, named(20_000_000), true, unixMilliseconds(0), 0))
  })

  it("each is asked of one peer at a time; gone, silent and answered peers make way", () => {
    const requests = txRequestTracker(seededRandom(6))
    for (const peer of [1, 2, 3]) requests.announced(peer, named(7), false, unixMilliseconds(0), 0)
    const [first, ...others] = requests.due(unixMilliseconds(0))
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(requests.due(unixMilliseconds(RELAY_LIMITS.requestTime.most - 1)), [])
    const [second] = requests.due(unixMilliseconds(RELAY_LIMITS.requestTime.most))
    assert.notStrictEqual(second!.peer, first!.peer)
    requests.gone(second!.peer)
    const [third] = requests.due(unixMilliseconds(RELAY_LIMITS.requestTime.most))
    assert.deepStrictEqual([first!.peer, second!.peer, third!.peer].toSorted(), [1, 2, 3])
    requests.answered(third!.peer, hashOf(7))
    assert.strictEqual(requests.size(), 0)
    assert.isTrue(requests.announced(first!.peer, named(7), false, unixMilliseconds(100_000), 0))
  })

  it("nothing is left of what was answered again and again", () => {
    const requests = txRequestTracker(seededRandom(7))
    for (let i = 0; i < 100_000; i++) {
      requests.announced(1, named(i), true, unixMilliseconds(0), 0)
      requests.due(unixMilliseconds(0))
      requests.answered(1, hashOf(i))
    }
    assert.strictEqual(requests.size(), 0)
    assert.strictEqual(requests.inFlight(1), 0)
  })
})

describe("the ids of a transaction", () => {
  it("are found without taking it apart; what is none has none", () => {
    const bytes = unconfirmedTransaction(1)
    const scanned = scanTransaction(bytes, testCrypto)!
    assert.deepStrictEqual(scanned.wtxid, testCrypto.sha256d(bytes))
    assert.notDeepEqual(scanned.txid, scanned.wtxid)
    for (let length = 0; length < 60; length++) {
      assert.strictEqual(scanTransaction(bytes.subarray(0, length), testCrypto), undefined)
    }
  })
})
