import { assert, describe, it } from "@effect/vitest"
import { banList, decodeBans, encodeBans } from "../../../src/p2p/connections/ban-list.ts"
import { CONNECTION_LIMITS } from "../../../src/p2p/connections/connection-limits.ts"
import { discouraged } from "../../../src/p2p/connections/discouraged.ts"
import { type EvictionCandidate, peerToEvict } from "../../../src/p2p/connections/eviction.ts"
import { slotsOf } from "../../../src/p2p/connections/slots.ts"
import { parseSubnet, subnetHolds, subnetOf, subnetText } from "../../../src/p2p/connections/subnet.ts"
import { seededChance } from "../../../src/p2p/seeded-chance.ts"
import { endpoint } from "../transport/transport-suite.ts"

const NOW = 1_700_193_573

const address = (text: string) => endpoint(`${text.includes(":") ? `[${text}]` : text}:1`).address

describe("subnets", () => {
  const TEXTS: ReadonlyArray<readonly [given: string, shown: string | undefined]> = [
    ["192.0.2.7", "192.0.2.7/32"],
    ["192.0.2.7/24", "192.0.2.0/24"],
    ["192.0.2.7/255.255.0.0", "192.0.0.0/16"],
    ["1.2.3.4/0", "0.0.0.0/0"],
    ["2001:db8::1", "2001:db8::1/128"],
    ["2001:db8:ffff::1/33", "2001:db8:8000::/33"],
    ["2001:db8::1/ffff:ffff::", "2001:db8::/32"],
    ["::ffff:192.0.2.7", "192.0.2.7/32"],
    ["192.0.2.7/33", undefined],
    ["192.0.2.7/255.0.255.0", undefined],
    ["192.0.2.7/24/8", undefined],
    ["192.0.2.7/-1", undefined],
    ["[2001:db8::1]", "2001:db8::1/128"],
    ["[2001:db8::]/32", "2001:db8::/32"],
    ["[2001:db8::1", undefined],
    ["2001:db8::1/129", undefined],
    ["foo", undefined],
    ["", undefined],
    ["/24", undefined]
  ]
  for (const [given, shown] of TEXTS) {
    it(`${given === "" ? "nothing" : given} is ${shown ?? "none"}`, () => {
      const subnet = parseSubnet(given)
      assert.strictEqual(subnet === undefined ? undefined : subnetText(subnet), shown)
    })
  }

  it("hold the addresses that begin as they do, of their own kind", () => {
    const subnet = parseSubnet("192.0.2.128/25")!
    assert.isTrue(subnetHolds(subnet, address("192.0.2.200")))
    assert.isFalse(subnetHolds(subnet, address("192.0.2.127")))
    assert.isFalse(subnetHolds(parseSubnet("::/0")!, address("192.0.2.1")))
    assert.isTrue(subnetHolds(parseSubnet("::/0")!, address("2001:db8::1")))
  })
})

describe("the ban list", () => {
  const ban = (text: string, until = NOW + 100) => ({ subnet: parseSubnet(text)!, created: NOW, until })

  it("knows addresses and subnets until their time is over", () => {
    const bans = banList()
    bans.ban(ban("192.0.2.1"))
    bans.ban(ban("198.51.100.0/24", NOW + 50))
    assert.isTrue(bans.isBanned(address("192.0.2.1"), NOW))
    assert.isFalse(bans.isBanned(address("192.0.2.2"), NOW))
    assert.isTrue(bans.isBanned(address("198.51.100.9"), NOW + 49))
    assert.isFalse(bans.isBanned(address("198.51.100.9"), NOW + 50))
    assert.deepStrictEqual(bans.expire(NOW + 50).map(({ subnet }) => subnetText(subnet)), ["198.51.100.0/24"])
    assert.isTrue(bans.unban(parseSubnet("192.0.2.1")!))
    assert.isFalse(bans.unban(parseSubnet("192.0.2.1")!))
    assert.deepStrictEqual(bans.list(NOW), [])
  })

  it("lets a ban end later, never sooner", () => {
    const bans = banList()
    bans.ban(ban("192.0.2.1", NOW + 100))
    bans.ban(ban("192.0.2.1", NOW + 50))
    assert.strictEqual(bans.list(NOW)[0]!.until, NOW + 100)
    bans.ban(ban("192.0.2.1", NOW + 200))
    assert.deepStrictEqual(bans.list(NOW).map(({ until }) => until), [NOW + 200])
  })

  it("CVE-2020-14198: has an end, and single addresses cost nothing to look up", () => {
    const bans = banList()
    const { most } = CONNECTION_LIMITS.bans
    for (let i = 0; i < most; i++) assert.isTrue(bans.ban(ban(`10.${i >> 16}.${i >> 8 & 0xff}.${i & 0xff}`)))
    assert.isFalse(bans.ban(ban("192.0.2.1")))
    assert.strictEqual(bans.list(NOW).length, most)
    assert.isTrue(bans.ban(ban("10.0.0.1", NOW + 300)), "one that is on it may change")
    assert.isFalse(bans.isBanned(address("192.0.2.1"), NOW))
    bans.expire(NOW + 200)
    assert.isTrue(bans.ban(ban("192.0.2.1")))
  })

  it("is written as the reference implementation writes it, and read with care", () => {
    const bans = banList()
    bans.ban(ban("198.51.100.0/24"))
    bans.ban(ban("2001:db8::/32"))
    bans.ban(ban("192.0.2.1"))
    const text = encodeBans(bans.list(NOW))
    assert.deepStrictEqual(JSON.parse(text), {
      banned_nets: ["192.0.2.1/32", "198.51.100.0/24", "2001:db8::/32"].map((each) =>
        ({ version: 1, ban_created: NOW, banned_until: NOW + 100, address: each }))
    })
    assert.deepStrictEqual(decodeBans(text), bans.list(NOW))
    for (const damaged of ["", "{}", "null", "[]", text.slice(3), "{\"banned_nets\":7}"]) assert.isUndefined(decodeBans(damaged), damaged)
    assert.deepStrictEqual(decodeBans("{\"banned_nets\":[7,{\"address\":\"x\"},{\"address\":\"192.0.2.1\",\"ban_created\":\"1\"}]}"), [])
  })
})

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
})

describe("slots", () => {
  it("are shared out as the reference implementation does", () => {
    assert.deepStrictEqual(slotsOf(125, undefined), { fullRelay: 8, blockRelay: 2, feelers: 1, inbound: 114 })
    assert.deepStrictEqual(slotsOf(100, undefined), { fullRelay: 8, blockRelay: 2, feelers: 1, inbound: 89 })
    assert.deepStrictEqual(slotsOf(9, undefined), { fullRelay: 8, blockRelay: 1, feelers: 0, inbound: 0 })
    assert.deepStrictEqual(slotsOf(0, undefined), { fullRelay: 0, blockRelay: 0, feelers: 0, inbound: 0 })
    assert.deepStrictEqual(slotsOf(100, 20), { fullRelay: 18, blockRelay: 2, feelers: 1, inbound: 79 })
    assert.deepStrictEqual(slotsOf(100, 0), { fullRelay: 0, blockRelay: 0, feelers: 0, inbound: 100 })
  })
})

describe("eviction of inbound peers", () => {
  const chance = seededChance(9)

  const candidate = (id: number, more: Partial<EvictionCandidate> = {}): EvictionCandidate => ({
    id,
    connectedAt: id,
    leastPing: 1_000 + id,
    lastBlock: 0,
    lastTransaction: 0,
    offersBlocks: true,
    relaysTransactions: true,
    keyedGroup: chance.below(2 ** 32),
    group: `group ${id}`,
    isDiscouraged: false,
    isLocal: false,
    network: "ipv4",
    ...more
  })

  const crowd = (count: number, more: (id: number) => Partial<EvictionCandidate> = () => ({})) =>
    Array.from({ length: count }, (_, id) => candidate(id, more(id)))

  it("spares a small number", () => {
    assert.isUndefined(peerToEvict([]))
    assert.isUndefined(peerToEvict(crowd(16)))
    assert.isDefined(peerToEvict(crowd(60)))
  })

  it("takes the youngest of the group with the most", () => {
    const all = crowd(80, (id) => id >= 40 ? { group: "one hand" } : {})
    const gone = peerToEvict(all)!
    assert.strictEqual(all[gone]!.group, "one hand")
    const younger = all.filter(({ connectedAt, group }) => group === "one hand" && connectedAt > gone)
    assert.isAtMost(younger.length, 20, "younger ones are protected by something else")
  })

  it("takes a discouraged one first", () => {
    const all = crowd(80, (id) => id === 70 ? { isDiscouraged: true, keyedGroup: 2 ** 32, leastPing: 9_999 } : {})
    assert.strictEqual(peerToEvict(all), 70)
  })

  /** Eighty peers, of which the last four are of one hand; the very last one goes unless something speaks for it. */
  const withLast = (more: Partial<EvictionCandidate>): ReadonlyArray<EvictionCandidate> =>
    crowd(80, (id) => {
      const usual = { lastBlock: 10, lastTransaction: 10, keyedGroup: id }
      if (id < 76) return usual
      const worst = { ...usual, group: "one hand", leastPing: 9_999, lastBlock: 0, lastTransaction: 0 }
      return id === 79 ? { ...worst, ...more } : worst
    })

  it("of a large group the youngest goes when nothing speaks for it", () => {
    assert.strictEqual(peerToEvict(withLast({})), 79)
  })

  const REASONS: ReadonlyArray<readonly [reason: string, more: Partial<EvictionCandidate>]> = [
    ["answers pings fastest", { leastPing: 1 }],
    ["brought a block last", { lastBlock: 99 }],
    ["brought a block last, without transactions", { lastBlock: 5, relaysTransactions: false }],
    ["brought a transaction last", { lastTransaction: 99 }],
    ["is of a group that chance favours", { keyedGroup: -1 }],
    ["has been here longest", { connectedAt: -1 }],
    ["comes through Tor", { network: "onion" }],
    ["comes through I2P", { network: "i2p" }],
    ["comes through CJDNS", { network: "cjdns" }],
    ["is on this machine", { isLocal: true }]
  ]
  for (const [reason, more] of REASONS) {
    it(`spares who ${reason}`, () => assert.notStrictEqual(peerToEvict(withLast(more)), 79))
  }

  it("never answers somebody who is not there", () => {
    for (let round = 0; round < 200; round++) {
      const all = crowd(chance.below(120), (id) => ({
        connectedAt: chance.below(1_000),
        leastPing: chance.below(2) === 0 ? undefined : chance.below(500),
        lastBlock: chance.below(100),
        lastTransaction: chance.below(100),
        relaysTransactions: chance.below(2) === 0,
        group: `group ${chance.below(1 + id)}`,
        network: (["ipv4", "onion", "i2p", "cjdns", undefined] as const)[chance.below(5)],
        isLocal: chance.below(9) === 0
      }))
      const gone = peerToEvict(all)
      if (gone !== undefined) assert.include(all.map(({ id }) => id), gone)
      if (all.length > 60) assert.isDefined(gone)
    }
  })

  it("subnetOf names one address", () => {
    assert.strictEqual(subnetText(subnetOf(address("192.0.2.1"))), "192.0.2.1/32")
  })
})
