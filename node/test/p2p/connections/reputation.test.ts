import { assert, describe, it } from "@effect/vitest"
import { parseSubnet } from "../../../src/net/subnet.ts"
import { discouraged } from "../../../src/p2p/connections/discouragement.ts"
import { reputation } from "../../../src/p2p/connections/reputation.ts"
import { slotsOf } from "../../../src/p2p/connections/slots.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { unixMilliseconds, unixSeconds } from "../../../src/quantities.ts"
import { endpoint } from "../transport/transport-suite.ts"

const address = (text: string) => endpoint(`${text}:1`).address

describe("discouraged addresses", () => {
  it("are bounded: the oldest are forgotten first", () => {
    const shunned = discouraged(100)
    const nth = (i: number) => address(`10.0.${i >> 8}.${i & 0xff}`)
    for (let i = 0; i < 1_000; i++) {
      shunned.add(nth(i))
      assert.isAtMost(shunned.size(), 100)
    }
    assert.isTrue(shunned.has(nth(999)) && shunned.has(nth(951)))
    assert.isFalse(shunned.has(nth(0)))
  })

  it("are counted in both generations: 50 of 100 move into the older one together", () => {
    const shunned = discouraged(100)
    for (let i = 0; i < 51; i++) shunned.add(address(`10.0.0.${i}`))
    assert.strictEqual(shunned.size(), 51)
    assert.isTrue(shunned.has(address("10.0.0.0")))
    for (let i = 51; i < 101; i++) shunned.add(address(`10.0.0.${i}`))
    assert.strictEqual(shunned.size(), 51)
    assert.isFalse(shunned.has(address("10.0.0.49")))
    assert.isTrue(shunned.has(address("10.0.0.50")))
  })
})

describe("what is reported of bans", () => {
  const NOW = 1_700_000_000
  const banOf = (text: string, seconds = 100) => ({
    subnet: parseSubnet(text)!,
    created: unixSeconds(NOW),
    until: unixSeconds(NOW + seconds)
  })

  const place = (saved: ReadonlyArray<ReturnType<typeof banOf>> = []) => {
    const clock = { now: NOW * 1_000 }
    const observed: Array<unknown> = []
    const notify = {
      event: (type: string, payload: object) => void observed.push([type, payload]),
      log: () => undefined
    }
    const known = reputation({ now: () => unixMilliseconds(clock.now), random: seededRandom(1) }, notify, saved)
    return { known, clock, news: () => observed.splice(0) }
  }

  it("is each that begins, with its end, and each that an operator ends", () => {
    const { known, news } = place()
    assert.isTrue(known.ban(banOf("192.0.2.0/24")))
    assert.deepStrictEqual(news(), [
      ["PeerBanned", { peer: "192.0.2.0/24", reason: "manually added", until: unixSeconds(NOW + 100) }]
    ])
    assert.isTrue(known.isBanned(address("192.0.2.7")))
    assert.isTrue(known.unban(parseSubnet("192.0.2.0/24")!))
    assert.deepStrictEqual(news(), [["PeerUnbanned", { peer: "192.0.2.0/24" }]])
    assert.isFalse(known.unban(parseSubnet("192.0.2.0/24")!))
    assert.deepStrictEqual(news(), [], "it was not banned")
  })

  it("is each that ends in time, or with all others", () => {
    const { clock, known, news } = place()
    for (const [text, seconds] of [["192.0.2.1", 10], ["192.0.2.2", 20], ["192.0.2.3", 30]] as const) {
      known.ban(banOf(text, seconds))
    }
    news()
    known.tick()
    assert.deepStrictEqual(news(), [])
    clock.now += 10_000
    known.tick()
    assert.deepStrictEqual(news(), [["PeerUnbanned", { peer: "192.0.2.1/32" }]])
    known.clear()
    assert.deepStrictEqual(news(), [
      ["PeerUnbanned", { peer: "192.0.2.2/32" }],
      ["PeerUnbanned", { peer: "192.0.2.3/32" }]
    ])
    assert.isFalse(known.isBanned(address("192.0.2.3")))
  })

  it("is not one that the list has no room for", () => {
    const { known, news } = place()
    for (let i = 0; i < 10_000; i++) known.ban(banOf(`10.${i >> 16}.${i >> 8 & 0xff}.${i & 0xff}`))
    news()
    assert.isFalse(known.ban(banOf("192.0.2.1")))
    assert.deepStrictEqual(news(), [])
  })

  it("is a peer that misbehaved, which is discouraged and not banned", () => {
    const { known, news } = place()
    known.discourage(address("192.0.2.1"), { _tag: "HeaderWithoutWork" })
    assert.deepStrictEqual(news(), [["PeerBanned", { peer: "192.0.2.1", reason: "header with invalid proof of work" }]])
    assert.isTrue(known.discouraged.has(address("192.0.2.1")))
    assert.isFalse(known.isBanned(address("192.0.2.1")))
  })

  it("is none of those of the last run, of which those that have ended meanwhile are forgotten", () => {
    const { known, news } = place([banOf("192.0.2.1", 1), banOf("192.0.2.2", 0)])
    assert.deepStrictEqual(known.bans.list(unixSeconds(0)).map(({ subnet }) => subnet), [parseSubnet("192.0.2.1")!])
    assert.deepStrictEqual(news(), [])
  })
})

describe("slots", () => {
  it("are shared out as Bitcoin Core does", () => {
    assert.deepStrictEqual(slotsOf(125, undefined), { fullRelay: 8, blockRelay: 2, feelers: 1, inbound: 114 })
    assert.deepStrictEqual(slotsOf(100, undefined), { fullRelay: 8, blockRelay: 2, feelers: 1, inbound: 89 })
    assert.deepStrictEqual(slotsOf(9, undefined), { fullRelay: 8, blockRelay: 1, feelers: 0, inbound: 0 })
    assert.deepStrictEqual(slotsOf(0, undefined), { fullRelay: 0, blockRelay: 0, feelers: 0, inbound: 0 })
    assert.deepStrictEqual(slotsOf(100, 20), { fullRelay: 18, blockRelay: 2, feelers: 1, inbound: 79 })
    assert.deepStrictEqual(slotsOf(100, 0), { fullRelay: 0, blockRelay: 0, feelers: 0, inbound: 100 })
  })
})
