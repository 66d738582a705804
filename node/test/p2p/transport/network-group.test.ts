import { assert, describe, it } from "@effect/vitest"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import { isLan, isLocal, isUnspecified, networkGroup } from "../../../src/net/address-place.ts"
import { parseAddress } from "../../../src/net/endpoint-text.ts"
import { addressBytes, groupBytes } from "../../../src/net/group-bytes.ts"

const at = (text: string) => parseAddress(text)!

describe("the network group of an address", () => {
  it.each<readonly [text: string, group: string]>([
    ["11.1.2.3", "ipv4:0b01"],
    ["11.1.255.255", "ipv4:0b01"],
    ["11.2.0.0", "ipv4:0b02"],
    ["172.15.0.1", "ipv4:ac0f"],
    ["172.32.0.1", "ipv4:ac20"],
    ["192.167.0.1", "ipv4:c0a7"],
    ["2003:db8:1:2::1", "ipv6:20030db8"],
    ["2001:470:abcd:1::", "ipv6:20010470af"],
    ["2001:470:afff:1::", "ipv6:20010470af"],
    ["2001:470:b000:1::", "ipv6:20010470bf"],
    ["2001:471:abcd:1::", "ipv6:20010471"],
    ["2002:b01:203::1", "ipv4:0b01"],
    ["2003:b01:203::1", "ipv6:20030b01"],
    ["64:ff9b::b01:203", "ipv4:0b01"],
    ["64:ff9b:1::b01:203", "ipv6:0064ff9b"],
    ["2001:0:1:2:3:4:f4fe:fdfc", "ipv4:0b01"],
    ["2001:1:1:2:3:4:f4fe:fdfc", "ipv6:20010001"],
    ["::ffff:0:b01:203", "ipv4:0b01"],
    ["::ffff:11.1.2.3", "ipv4:0b01"]
  ])("%s is %s", (text, group) => assert.strictEqual(networkGroup(at(text)), group))

  it.each<readonly [text: string, place: "local" | "lan"]>([
    ["127.0.0.1", "local"],
    ["127.255.255.255", "local"],
    ["0.0.0.0", "local"],
    ["::1", "local"],
    ["10.0.0.0", "lan"],
    ["10.255.255.255", "lan"],
    ["172.16.0.0", "lan"],
    ["172.31.255.255", "lan"],
    ["192.168.0.0", "lan"],
    ["169.254.9.9", "lan"],
    ["fc00::1", "lan"],
    ["fdff::1", "lan"],
    ["fe80::1", "lan"]
  ])("%s is %s, near the node, and in the group of all that the internet does not route", (text, place) => {
    assert.strictEqual(networkGroup(at(text)), "unroutable")
    assert.deepStrictEqual([isLocal(at(text)), isLan(at(text))], [place === "local", place === "lan"])
  })

  it("febf::1 is near the node, though Bitcoin Core takes it for an address of the internet", () => {
    assert.strictEqual(networkGroup(at("febf::1")), "ipv6:febf0000")
    assert.isTrue(isLan(at("febf::1")))
  })

  it.each(["100.64.0.1", "192.0.2.1", "198.18.0.1", "203.0.113.9", "255.255.255.255", "2001:db8::1", "::"])(
    "%s is not near the node, and in that group as well",
    (text) => {
      assert.strictEqual(networkGroup(at(text)), "unroutable")
      assert.deepStrictEqual([isLocal(at(text)), isLan(at(text))], [false, false])
    }
  )

  it.each([
    "9.255.255.255",
    "11.0.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.1.1",
    "192.169.0.0",
    "169.253.1.1",
    "169.255.0.0",
    "173.16.0.0",
    "193.168.0.0",
    "170.254.0.0",
    "168.254.0.0",
    "128.0.0.0",
    "126.255.255.255",
    "1.0.0.0",
    "::2",
    "100::1",
    "fec0::1",
    "fe7f::1",
    "fbff::1",
    "fe00::1"
  ])(
    "%s is not near the node",
    (text) => assert.deepStrictEqual([isLocal(at(text)), isLan(at(text))], [false, false])
  )

  it("of CJDNS is its first 12 bits, of Tor and I2P the first 4", () => {
    const of = (network: number, length: number, ...bytes: ReadonlyArray<number>) => {
      const all = new Uint8Array(length)
      all.set(bytes)
      return networkGroup({ network, bytes: all })
    }
    assert.strictEqual(of(AddressNetwork.CJDNS, 16, 0xfc, 0x12, 0x34), "cjdns:fc1f")
    assert.strictEqual(of(AddressNetwork.CJDNS, 16, 0xfc, 0x1f, 0x99), "cjdns:fc1f")
    assert.strictEqual(of(AddressNetwork.CJDNS, 16, 0xfc, 0x20), "cjdns:fc2f")
    assert.strictEqual(of(AddressNetwork.TORV3, 32, 0x50), of(AddressNetwork.TORV3, 32, 0x5f))
    assert.notStrictEqual(of(AddressNetwork.TORV3, 32, 0x50), of(AddressNetwork.TORV3, 32, 0x60))
    assert.notStrictEqual(of(AddressNetwork.TORV3, 32, 0x50), of(AddressNetwork.I2P, 32, 0x50))
  })
})

describe("an address that stands for all of a machine", () => {
  it("is all zeros, of IPv4 or IPv6", () => {
    assert.isTrue(isUnspecified(at("0.0.0.0")))
    assert.isTrue(isUnspecified(at("::")))
    assert.isFalse(isUnspecified(at("0.0.0.1")))
    assert.isFalse(isUnspecified(at("::1")))
    assert.isFalse(isUnspecified({ network: AddressNetwork.TORV3, bytes: new Uint8Array(32) }))
  })
})

describe("the group of an address as Bitcoin Core writes it", () => {
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
  const bytesOf = (network: number, length: number, ...first: ReadonlyArray<number>) => {
    const bytes = new Uint8Array(length)
    bytes.set(first)
    return { network, bytes }
  }

  it.each<readonly [text: string, group: string]>([
    ["11.1.2.3", "010b01"],
    ["2002:b01:203::1", "010b01"],
    ["64:ff9b::b01:203", "010b01"],
    ["2003:db8:1:2::1", "0220030db8"],
    ["2001:470:abcd:1::", "0220010470af"],
    ["2001:470:a000:1::", "0220010470af"],
    ["2001:471:abcd:1::", "0220010471"],
    ["10.1.2.3", "00"],
    ["127.0.0.1", "00"],
    ["::1", "00"],
    ["fc00::1", "00"]
  ])("of %s is %s", (text, group) => assert.strictEqual(hex(groupBytes(at(text), undefined)), group))

  it("begins with the class of its network", () => {
    const { CJDNS, I2P, TORV3 } = AddressNetwork
    const group = (network: number, length: number, ...first: ReadonlyArray<number>) =>
      hex(groupBytes(bytesOf(network, length, ...first), undefined))
    assert.strictEqual(group(TORV3, 32, 0x53, 0x99), "035f")
    assert.strictEqual(group(I2P, 32, 0x53, 0x99), "045f")
    assert.strictEqual(group(CJDNS, 16, 0xfc, 0x12, 0x34), "05fc1f")
  })

  it("of a name is the hash of the name", () => {
    const name = bytesOf(AddressNetwork.IPV6, 16, 0xfd, 0x6b, 0x88, 0xc0, 0x87, 0x24, 1, 2, 3)
    assert.strictEqual(hex(groupBytes(name, undefined)), `06010203${"00".repeat(7)}`)
  })

  it("is the number of the autonomous system where that is known", () => {
    assert.strictEqual(hex(groupBytes(at("11.1.2.3"), 0x0102_0304)), "0204030201")
    assert.strictEqual(hex(groupBytes(at("11.1.2.3"), 0)), "0200000000")
  })

  it("comes from sixteen bytes, into which an address of IPv4 is mapped", () => {
    assert.strictEqual(hex(addressBytes(at("1.2.3.4"))), "00000000000000000000ffff01020304")
    assert.strictEqual(hex(addressBytes(at("2003::1"))), `2003${"00".repeat(13)}01`)
  })
})
