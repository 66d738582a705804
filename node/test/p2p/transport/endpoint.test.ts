import { assert, describe, it } from "@effect/vitest"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import { isLan, isLocal, networkGroup } from "../../../src/net/address-place.ts"
import { addressText, endpointText, parseAddress, parseEndpoint, splitPort } from "../../../src/net/endpoint-text.ts"
import { ipv6Bytes, ipv6Text } from "../../../src/net/ip-text.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"

/** From the documents of the Tor project. */
const ONION = "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion"

describe("endpoints as text", () => {
  const GOOD: ReadonlyArray<readonly [given: string, shown: string]> = [
    ["1.2.3.4:8333", "1.2.3.4:8333"],
    ["1.2.3.4", "1.2.3.4:18444"],
    ["127.1:8333", "127.0.0.1:8333"],
    ["1.2.772", "1.2.3.4:18444"],
    ["2130706433:1", "127.0.0.1:1"],
    ["4294967295", "255.255.255.255:18444"],
    ["0x7F.0x000001:2", "127.0.0.1:2"],
    ["0177.0.0.01", "127.0.0.1:18444"],
    ["010.8.8.8:7", "8.8.8.8:7"],
    ["[::1]:18444", "[::1]:18444"],
    ["[::1]", "[::1]:18444"],
    ["::1", "[::1]:18444"],
    ["2001:DB8:0:0:1:0:0:1", "[2001:db8::1:0:0:1]:18444"],
    ["[2001:db8::1]:0", "[2001:db8::1]:0"],
    ["[::ffff:1.2.3.4]:1", "1.2.3.4:1"],
    [`${ONION}:8333`, `${ONION}:8333`],
    [ONION.toUpperCase(), `${ONION}:18444`],
    [
      "ukeu3k5oycgaauneqgtnvselmt4yemvoilkln7jpvamvfx7dnkdq.b32.i2p",
      "ukeu3k5oycgaauneqgtnvselmt4yemvoilkln7jpvamvfx7dnkdq.b32.i2p:0"
    ]
  ]
  for (const [given, shown] of GOOD) {
    it(`${given} is ${shown}`, () => {
      const endpoint = parseEndpoint(given, 18_444)!
      assert.strictEqual(endpointText(endpoint), shown)
      assert.deepStrictEqual(parseEndpoint(shown, 1), endpoint)
    })
  }

  for (
    const bad of [
      "",
      ":8333",
      "1.2.3.4:65536",
      "1.2.3.4.5",
      "1.2.65536",
      "256.1",
      "4294967296",
      "1..2",
      "1.2.3.",
      "0x",
      "0x.1",
      "08.1",
      "1.2.3.256",
      "1e3",
      "-1",
      "1.2.3.4:",
      "[1.2.3.4",
      "[::1",
      "::1]:1",
      "name.example:1",
      "fe80::1%eth0",
      "1.2.3.4:x",
      ONION.replace("p", "q"),
      "aaaaaaaaaaaaaaaa.onion",
      "1.2.3.4 "
    ]
  ) {
    it(`${JSON.stringify(bad)} is none`, () => assert.isUndefined(parseEndpoint(bad, 18_444)))
  }

  it("whatever is written, nothing is thrown", () => {
    const random = seededRandom(20_261_122)
    const parts = [
      "1.2.3.4",
      ":",
      "[",
      "]",
      "::",
      "8333",
      "a".repeat(52),
      "z".repeat(52),
      ".b32.i2p",
      ".onion",
      "z".repeat(56),
      "%",
      "/",
      " ",
      "\0",
      "é",
      "0x1",
      "-1"
    ]
    for (let i = 0; i < 5_000; i++) {
      const text = Array.from({ length: 1 + random.below(4) }, () => parts[random.below(parts.length)]!).join("")
      const found = parseEndpoint(text, 1)
      if (found !== undefined) assert.deepStrictEqual(parseEndpoint(endpointText(found), 1), found, text)
    }
    assert.isUndefined(parseEndpoint(`${"z".repeat(52)}.b32.i2p`, 1), "bits beyond the address")
  })

  it("names keep their port", () => {
    assert.deepStrictEqual(splitPort("name.example:7", 1), { host: "name.example", port: 7 })
    assert.deepStrictEqual(splitPort("name.example", 1), { host: "name.example", port: 1 })
    assert.isUndefined(splitPort("a:b:c", 1))
    assert.isUndefined(splitPort("name.example:99999", 1))
  })

  it("any IPv6 address goes to text and back", () => {
    const random = seededRandom(20_261_121)
    for (let i = 0; i < 2_000; i++) {
      const bytes = Uint8Array.from({ length: 16 }, () => random.below(3) === 0 ? random.below(256) : 0)
      assert.deepStrictEqual(ipv6Bytes(ipv6Text(bytes)), bytes, ipv6Text(bytes))
    }
  })

  it("addresses of networks of the future have a text, too", () => {
    assert.strictEqual(addressText({ network: 77, bytes: Uint8Array.of(1, 2) }), "network77-0102")
  })
})

describe("where an address is", () => {
  const at = (text: string) => parseAddress(text)!

  it("this machine and the own network", () => {
    for (const text of ["127.0.0.1", "127.255.0.1", "0.0.0.0", "::1"]) assert.isTrue(isLocal(at(text)), text)
    for (const text of ["128.0.0.1", "::2", "10.0.0.1", ONION]) assert.isFalse(isLocal(at(text)), text)
    for (
      const text of ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.1.1", "fd00::1", "fe80::1"]
    ) assert.isTrue(isLan(at(text)), text)
    for (const text of ["172.15.0.1", "172.32.0.1", "192.169.0.1", "2001:db8::1", "127.0.0.1", ONION]) {
      assert.isFalse(isLan(at(text)), text)
    }
  })

  const SAME: ReadonlyArray<readonly [string, string]> = [
    ["11.1.2.3", "11.1.200.9"],
    ["2001:db8::1", "2001:db8:ffff::1"],
    ["2002:b01:203::1", "11.1.9.9"],
    ["64:ff9b::b01:203", "11.1.9.9"],
    ["2001:0:1:2:3:4:f4fe:fdfc", "11.1.9.9"],
    ["2001:470:abcd:1::", "2001:470:a123:2::"],
    ["127.0.0.1", "::1"],
    ["10.0.0.1", "192.168.7.7"],
    ["127.0.0.1", "10.0.0.1"]
  ]
  for (const [one, other] of SAME) {
    it(`${one} and ${other} are of one group`, () => assert.strictEqual(networkGroup(at(one)), networkGroup(at(other))))
  }

  const OTHER: ReadonlyArray<readonly [string, string]> = [
    ["11.1.2.3", "11.2.2.3"],
    ["2001:db8::1", "2001:db9::1"],
    ["2001:470:abcd:1::", "2001:470:bbcd:1::"],
    ["127.0.0.1", "11.1.2.3"],
    ["11.1.2.3", ONION]
  ]
  for (const [one, other] of OTHER) {
    it(`${one} and ${other} are of two groups`, () =>
      assert.notStrictEqual(networkGroup(at(one)), networkGroup(at(other))))
  }

  it("a sixteenth of all hidden services is a group", () => {
    const service = (first: number) =>
      networkGroup({ network: AddressNetwork.TORV3, bytes: new Uint8Array(32).fill(first) })
    assert.strictEqual(new Set(Array.from({ length: 256 }, (_, i) => service(i))).size, 16)
  })
})
