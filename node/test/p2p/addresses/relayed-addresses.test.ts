import { assert, describe, it } from "@effect/vitest"
import { addressBook } from "../../../src/p2p/addresses/address-book.ts"
import { answerCache } from "../../../src/p2p/addresses/answer-cache.ts"
import { knownToPeer } from "../../../src/p2p/addresses/known-to-peer.ts"
import { relayTargets } from "../../../src/p2p/addresses/relay-targets.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { scriptedPeer } from "../sync/chain-model.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"

const HOUR = 3_600_000
const NOW = 1_700_193_573_000

describe("what a peer is known to know", () => {
  it("is at least the last 2,500 addresses and at most 5,000", () => {
    const known = knownToPeer()
    for (let i = 0; i < 20_000; i++) {
      known.add(String(i))
      if (i % 501 === 0) {
        for (let back = 0; back < Math.min(2_500, i); back += 83) assert.isTrue(known.has(String(i - back)))
      }
    }
    assert.strictEqual(Array.from({ length: 20_000 }, (_, i) => known.has(String(i))).filter(Boolean).length, 5_000)
    known.clear()
    assert.isFalse(known.has("19999"))
  })
})

describe("answers to getaddr", () => {
  const filled = () => {
    const random = seededRandom(5)
    const book = addressBook({ now: () => unixMilliseconds(NOW), random })
    for (let i = 0; i < 2_000; i++) {
      book.add(
        [{ ...endpoint(`${11 + (i >> 8)}.${i & 255}.1.1:8333`), services: 9n, time: NOW / 1_000 }],
        endpoint(`${40 + (i & 63)}.1.1.1:1`).address
      )
    }
    return { answers: answerCache(book, random), book }
  }

  it("are the same at one place for 21 to 27 hours", () => {
    const lengths = new Set<number>()
    const { answers } = filled()
    for (let place = 0; place < 40; place++) {
      const first = answers.cached(`place ${place}`, 1_000, unixMilliseconds(NOW))
      assert.strictEqual(answers.cached(`place ${place}`, 1_000, unixMilliseconds(NOW + 21 * HOUR - 1)), first)
      let hours = 21
      while (hours < 28 && answers.cached(`place ${place}`, 1_000, unixMilliseconds(NOW + hours * HOUR)) === first) {
        hours += 0.25
      }
      assert.isTrue(hours <= 27.25, String(hours))
      lengths.add(Math.floor(hours))
    }
    assert.isAtLeast(lengths.size, 4, "the time is by random")
  })

  it("differ from place to place, and hold 23 percent of the book, 1,000 at most, or what the limit of messages allows", () => {
    const { answers, book } = filled()
    assert.notDeepEqual(
      answers.cached("a", 1_000, unixMilliseconds(NOW)),
      answers.cached("b", 1_000, unixMilliseconds(NOW))
    )
    assert.strictEqual(answers.cached("a", 1_000, unixMilliseconds(NOW)).length, Math.floor(book.size() * 0.23))
    assert.strictEqual(answers.cached("c", 10, unixMilliseconds(NOW)).length, 10)
  })
})

describe("peers that an address is passed on to", () => {
  const peers = Array.from({ length: 20 }, (_, id) => scriptedPeer(id, "inbound"))
  const key = new Uint8Array(16).fill(7)
  const targets = (text: string, now: number, isReachable = true, secret = key): ReadonlyArray<number> =>
    relayTargets(testCrypto, secret, endpoint(text), peers, isReachable, unixMilliseconds(now)).map(({ id }) => id)

  it("are two, or one of those for half of the addresses that this node cannot reach, whenever they come", () => {
    const counts = Array.from({ length: 200 }, (_, i) => {
      const text = `11.${i}.1.1:1`
      const [count, again] = [targets(text, NOW, false).length, targets(text, NOW + HOUR / 60, false).length]
      assert.strictEqual(targets(text, NOW).length, 2)
      assert.strictEqual(count, again, text)
      return count
    })
    assert.isAtLeast(counts.filter((count) => count === 1).length, 70)
    assert.isAtLeast(counts.filter((count) => count === 2).length, 70)
  })

  it("are the same ones for a day, and others the next", () => {
    const changes = Array.from({ length: 49 }, (_, hour) => targets("11.1.1.1:1", NOW + hour * HOUR).join())
    assert.strictEqual(changes.filter((each, i) => i > 0 && each !== changes[i - 1]).length, 2)
  })

  it("change for different addresses at different times of the day", () => {
    const changeOf = (text: string): number => {
      const first = targets(text, NOW).join()
      for (let minutes = 0; minutes <= 1_440; minutes += 10) {
        if (targets(text, NOW + minutes * 60_000).join() !== first) return minutes
      }
      return -1
    }
    assert.isAtLeast(new Set(Array.from({ length: 8 }, (_, i) => changeOf(`11.${i}.1.1:1`))).size, 6)
  })

  it("depend on address and port, and on a key", () => {
    const ports = Array.from({ length: 30 }, (_, i) => targets(`11.1.1.1:${i + 1}`, NOW).join())
    assert.isAtLeast(new Set(ports).size, 20)
    const others = Array.from({ length: 30 }, (_, i) => targets(`11.1.${i}.1:1`, NOW).join())
    assert.isAtLeast(new Set(others).size, 20)
    assert.notDeepEqual(targets("11.1.1.1:1", NOW), targets("11.1.1.1:1", NOW, true, new Uint8Array(16).fill(8)))
  })
})
