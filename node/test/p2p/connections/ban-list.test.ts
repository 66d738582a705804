import { assert, describe, it } from "@effect/vitest"
import { banList, decodeBans, encodeBans } from "../../../src/p2p/connections/ban-list.ts"
import { parseSubnet, subnetText } from "../../../src/net/subnet.ts"
import { unixSeconds } from "../../../src/quantities.ts"
import { endpoint } from "../transport/transport-suite.ts"

const NOW = unixSeconds(1_700_193_573)

const later = (seconds: number) => unixSeconds(NOW + seconds)

const address = (text: string) => endpoint(`${text.includes(":") ? `[${text}]` : text}:1`).address

describe("the ban list", () => {
  const ban = (text: string, until = later(100)) => ({ subnet: parseSubnet(text)!, created: NOW, until })

  it("knows addresses and subnets until their time is over", () => {
    const bans = banList()
    bans.ban(ban("192.0.2.1"))
    bans.ban(ban("198.51.100.0/24", later(50)))
    assert.isTrue(bans.isBanned(address("192.0.2.1"), NOW))
    assert.isFalse(bans.isBanned(address("192.0.2.2"), NOW))
    assert.isTrue(bans.isBanned(address("198.51.100.9"), later(49)))
    assert.isFalse(bans.isBanned(address("198.51.100.9"), later(50)))
    assert.deepStrictEqual(bans.expire(later(50)).map(({ subnet }) => subnetText(subnet)), ["198.51.100.0/24"])
    assert.isTrue(bans.unban(parseSubnet("192.0.2.1")!))
    assert.isFalse(bans.unban(parseSubnet("192.0.2.1")!))
    assert.deepStrictEqual(bans.list(NOW), [])
  })

  it("a ban of one address ends at its time, whether or not ended bans have been swept", () => {
    const bans = banList()
    bans.ban(ban("192.0.2.1", later(50)))
    assert.isTrue(bans.isBanned(address("192.0.2.1"), later(49)))
    assert.isTrue(bans.has(parseSubnet("192.0.2.1")!, later(49)))
    assert.isFalse(bans.isBanned(address("192.0.2.1"), later(50)))
    assert.isFalse(bans.has(parseSubnet("192.0.2.1")!, later(50)))
    assert.deepStrictEqual(bans.list(later(49)).length, 1)
    assert.deepStrictEqual(bans.list(later(50)), [])
  })

  it("a ban of one address that has ended does not hide a subnet that still holds it", () => {
    const bans = banList()
    bans.ban(ban("192.0.2.1", later(50)))
    bans.ban(ban("192.0.2.0/24", later(100)))
    assert.isTrue(bans.isBanned(address("192.0.2.1"), later(60)))
    assert.isFalse(bans.isBanned(address("192.0.2.1"), later(100)))
  })

  it("a subnet holds no one once it was taken off the list", () => {
    const bans = banList()
    for (
      const end of [
        () => bans.unban(parseSubnet("198.51.100.0/24")!),
        () => bans.clear(),
        () => bans.expire(later(100))
      ]
    ) {
      bans.ban(ban("198.51.100.0/24"))
      assert.isTrue(bans.isBanned(address("198.51.100.9"), NOW))
      end()
      assert.isFalse(bans.isBanned(address("198.51.100.9"), NOW))
      assert.deepStrictEqual(bans.list(NOW), [])
    }
  })

  it("a later end of a subnet's ban counts, and the earlier one no more", () => {
    const bans = banList()
    bans.ban(ban("198.51.100.0/24", later(50)))
    bans.ban(ban("198.51.100.0/24", later(200)))
    assert.isTrue(bans.isBanned(address("198.51.100.9"), later(199)))
    bans.unban(parseSubnet("198.51.100.0/24")!)
    assert.isFalse(bans.isBanned(address("198.51.100.9"), NOW))
  })

  it("counts each change, and nothing else: whatever is saved follows it", () => {
    const bans = banList()
    const changes = (act: () => unknown): boolean => {
      const before = bans.version()
      act()
      return bans.version() !== before
    }
    const one = parseSubnet("192.0.2.1")!
    assert.isTrue(changes(() => bans.ban(ban("192.0.2.1"))))
    assert.isFalse(changes(() => bans.ban(ban("192.0.2.1"))))
    assert.isFalse(changes(() => bans.isBanned(one.address, NOW)))
    assert.isFalse(changes(() => bans.expire(later(99))))
    assert.isTrue(changes(() => bans.unban(one)))
    assert.isFalse(changes(() => bans.unban(one)))
    assert.isTrue(changes(() => bans.clear()))
    bans.ban(ban("192.0.2.1"))
    assert.isTrue(changes(() => bans.expire(later(100))))
  })

  it("lists bans by network, then address, then length", () => {
    const bans = banList()
    const wanted = [
      "10.0.0.0/8",
      "10.0.0.0/16",
      "10.0.0.0/32",
      "10.0.1.0/24",
      "192.0.2.1/32",
      "2001:db8::/32",
      "2001:db8::/128"
    ]
    for (const text of wanted.toReversed()) bans.ban(ban(text))
    assert.deepStrictEqual(bans.list(NOW).map(({ subnet }) => subnetText(subnet)), wanted)
  })

  it("lets a ban end later, never sooner", () => {
    const bans = banList()
    bans.ban(ban("192.0.2.1", later(100)))
    assert.isTrue(bans.ban(ban("192.0.2.1", later(50))), "it is banned")
    assert.strictEqual(bans.list(NOW)[0]!.until, later(100))
    bans.ban(ban("192.0.2.1", later(200)))
    assert.deepStrictEqual(bans.list(NOW).map(({ until }) => until), [later(200)])
  })

  it("CVE-2020-14198: has an end, and single addresses cost nothing to look up", () => {
    const bans = banList()
    const most = 10_000
    for (let i = 0; i < most; i++) assert.isTrue(bans.ban(ban(`10.${i >> 16}.${i >> 8 & 0xff}.${i & 0xff}`)))
    assert.isFalse(bans.ban(ban("192.0.2.1")))
    assert.strictEqual(bans.list(NOW).length, most)
    assert.isTrue(bans.ban(ban("10.0.0.1", later(300))), "one that is on it may change")
    assert.isFalse(bans.isBanned(address("192.0.2.1"), NOW))
    bans.expire(later(200))
    assert.isTrue(bans.ban(ban("192.0.2.1")))
  })

  it("is written as Bitcoin Core writes it, and read with care", () => {
    const bans = banList()
    bans.ban(ban("198.51.100.0/24"))
    bans.ban(ban("2001:db8::/32"))
    bans.ban(ban("192.0.2.1"))
    const text = encodeBans(bans.list(NOW))
    assert.deepStrictEqual(JSON.parse(text), {
      banned_nets: ["192.0.2.1/32", "198.51.100.0/24", "2001:db8::/32"].map((each) => ({
        version: 1,
        ban_created: NOW,
        banned_until: later(100),
        address: each
      }))
    })
    assert.deepStrictEqual(decodeBans(text), bans.list(NOW))
    for (const damaged of ["", "{}", "null", "[]", text.slice(3), "{\"banned_nets\":7}"]) {
      assert.isUndefined(decodeBans(damaged), damaged)
    }
    const bad = [
      7,
      null,
      {},
      { address: "x", ban_created: 1, banned_until: 2 },
      { address: "192.0.2.1", ban_created: "1", banned_until: 2 },
      { address: "192.0.2.1", ban_created: 1, banned_until: "2" },
      { address: 7, ban_created: 1, banned_until: 2 }
    ]
    assert.deepStrictEqual(decodeBans(JSON.stringify({ banned_nets: bad })), [])
    assert.match(text, /^\{\n {2}"banned_nets": \[\n {4}\{\n/)
  })
})
