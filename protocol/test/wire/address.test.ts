import { cursorOn, writerOf } from "@lockstep/kernel/bytes"
import * as Result from "effect/Result"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { addressKind, fitsOldForm } from "../../src/wire/address/address-kind.ts"
import { isRoutable } from "../../src/wire/address/is-routable.ts"
import { type NetworkAddress, readIpAddress, writeIpAddress } from "../../src/wire/address/network-address.ts"
import { decodeMessage, encodeMessage } from "../../src/wire/message.ts"
import { InventoryType, isBlockType, isTransactionType } from "../../src/wire/inventory.ts"
import { offers, ServiceFlag, serviceNames } from "../../src/wire/services.ts"
import { check } from "./check.ts"
import { fromHex, toHex } from "./hex.ts"

const address = (network: number, hex: string): NetworkAddress => ({ network, bytes: fromHex(hex) })
const ipv4 = (text: string): NetworkAddress => ({ network: 1, bytes: Uint8Array.from(text.split(".").map(Number)) })
const ipv6 = (hex: string): NetworkAddress => address(2, hex.padEnd(32, "0"))

const ONION = "79bcc625184b05194975c28b66b66b0469f7f6556fb1ac3189a79b40dda32f1f"
const I2P = "a2894dabaec08c0051a481a6dac88b64f98232ae42d4b6fd2fa81952dfe36a87"

describe("addresses of addrv2", () => {
  it("are of IPv4, Tor and I2P as Bitcoin Core was sent them", () => {
    const hex =
      `0214e7566509042079bcc625184b05194975c28b66b66b0469f7f6556fb1ac3189a79b40dda32f1f208d14e75665090520${I2P}0000`
    const { message } = Result.getOrThrow(decodeMessage("addrv2", fromHex(hex)))
    assert.deepStrictEqual(
      message.addresses.map(({ address: each, port, services, time }) => [
        each.network,
        toHex(each.bytes),
        port,
        services,
        time
      ]),
      [
        [4, ONION, 8_333, 9n, 1_700_194_068],
        [5, I2P, 0, 9n, 1_700_194_068]
      ]
    )
  })

  it("of unknown networks do not keep those behind them from being read", () => {
    const hex = `0300000000006305000000000020${"8d"}00000000000104080808080001${"00000000000300"}0002`
    const { message } = Result.getOrThrow(decodeMessage("addrv2", fromHex(hex)))
    assert.deepStrictEqual(
      message.addresses.map(({ address: each, port }) => [each.network, each.bytes.length, port]),
      [
        [0x63, 5, 0x208d],
        [1, 4, 1],
        [3, 0, 2]
      ]
    )
    assert.strictEqual(toHex(encodeMessage(message)), hex)
  })
})

describe("the kind of an address", () => {
  it.each<[string, NetworkAddress, string | undefined]>([
    ["four bytes of network 1", ipv4("8.8.4.4"), "ipv4"],
    ["16 bytes of network 2", ipv6("20014860"), "ipv6"],
    [
      "IPv4 mapped into IPv6, which has a network of its own (btcd 077c9b7c)",
      ipv6(`${"00".repeat(10)}ffff08080404`),
      undefined
    ],
    ["Tor of the second version in IPv6", ipv6("fd87d87eeb43"), undefined],
    ["a name that Bitcoin Core keeps in IPv6", ipv6("fd6b88c08724"), undefined],
    ["Tor of the second version", address(3, "00".repeat(10)), undefined],
    ["Tor of the third version", address(4, ONION), "onion"],
    ["I2P", address(5, I2P), "i2p"],
    ["CJDNS", address(6, `fc${"01".repeat(15)}`), "cjdns"],
    ["CJDNS outside its prefix", address(6, `fd${"01".repeat(15)}`), undefined],
    ["a network of the future", address(7, "00"), undefined]
  ])("%s", (_, each, kind) => assert.strictEqual(addressKind(each), kind))

  it("of addr is IPv4 where IPv4 is mapped into IPv6, and both are written back as they were", () => {
    const read = (hex: string) => readIpAddress(cursorOn(fromHex(hex)))
    assert.deepStrictEqual(addressKind(read(`${"00".repeat(10)}ffff08080404`)), "ipv4")
    assert.deepStrictEqual(addressKind(read(`${"00".repeat(10)}fffe08080404`)), "ipv6")
    check(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), fc.boolean(), (bytes, mapped) => {
        const sent = mapped ? Uint8Array.of(...new Uint8Array(10), 0xff, 0xff, ...bytes.subarray(12)) : bytes
        const writer = writerOf(16)
        writeIpAddress(writer, readIpAddress(cursorOn(sent)))
        assert.strictEqual(toHex(writer.bytes), toHex(sent))
      })
    )
  })

  it("without room in addr is written as zeros there, and should not be", () => {
    const writer = writerOf(16)
    writeIpAddress(writer, address(4, ONION))
    assert.strictEqual(toHex(writer.bytes), "00".repeat(16))
    assert.isFalse(fitsOldForm(address(4, ONION)))
    assert.isTrue(fitsOldForm(ipv4("1.2.3.4")))
  })
})

describe("routable addresses", () => {
  it.each([
    "8.8.8.8",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.3.0",
    "192.167.255.255",
    "198.17.255.255",
    "198.20.0.0",
    "198.51.101.0",
    "203.0.114.0",
    "255.255.255.254"
  ])("%s is one", (text) => assert.isTrue(isRoutable(ipv4(text))))

  it.each([
    "0.0.0.0",
    "0.255.255.255",
    "10.0.0.1",
    "100.64.0.0",
    "100.127.255.255",
    "127.0.0.1",
    "169.254.1.1",
    "172.16.0.0",
    "172.31.255.255",
    "192.0.2.1",
    "192.168.0.1",
    "198.18.0.0",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.255",
    "255.255.255.255"
  ])("%s is none", (text) => assert.isFalse(isRoutable(ipv4(text))))

  it.each(["20014860", "2a00", "20010010ff".replace("0010", "0040"), "fe81", `${"00".repeat(15)}02`])(
    "IPv6 %s… is one",
    (hex) => assert.isTrue(isRoutable(ipv6(hex)))
  )

  it.each([
    "",
    `${"00".repeat(15)}01`,
    "fe80",
    "fc",
    "fd00",
    "20010db8",
    "2001001f",
    "2001002f",
    "fd87d87eeb43",
    `${"00".repeat(10)}ffff08080808`
  ])("IPv6 %s… is none (btcd 4a4e2d24)", (hex) => assert.isFalse(isRoutable(ipv6(hex))))

  it("are all of Tor, I2P and CJDNS, and none of an unknown network", () => {
    assert.isTrue([address(4, ONION), address(5, I2P), address(6, `fc${"01".repeat(15)}`)].every(isRoutable))
    assert.isFalse(isRoutable(address(9, "00")))
  })
})

describe("inventory types and services", () => {
  it("have the numbers of the protocol", () => {
    assert.deepStrictEqual(InventoryType, {
      TX: 1,
      BLOCK: 2,
      FILTERED_BLOCK: 3,
      COMPACT_BLOCK: 4,
      WTX: 5,
      PACKAGE_TRANSACTIONS: 6,
      ANCESTOR_PACKAGE: 7,
      WITNESS_TX: 0x40000001,
      WITNESS_BLOCK: 0x40000002
    })
    assert.deepStrictEqual(
      [1, 2, 3, 4, 5, 0x40000001, 0x40000002, 0, 6].map((type) => [isTransactionType(type), isBlockType(type)]),
      [
        [true, false],
        [false, true],
        [false, true],
        [false, true],
        [true, false],
        [true, false],
        [false, true],
        [false, false],
        [false, false]
      ]
    )
    assert.strictEqual(
      ServiceFlag.NETWORK | ServiceFlag.WITNESS | ServiceFlag.NETWORK_LIMITED | ServiceFlag.P2P_V2,
      0xc09n
    )
    assert.strictEqual(ServiceFlag.BLOOM | ServiceFlag.COMPACT_FILTERS, 0x44n)
  })

  it("are known by name", () => {
    assert.deepStrictEqual(serviceNames(0x449n), ["NETWORK", "WITNESS", "COMPACT_FILTERS", "NETWORK_LIMITED"])
    assert.deepStrictEqual(serviceNames(1n << 63n | 0xbn), ["NETWORK", "UNKNOWN[2^1]", "WITNESS", "UNKNOWN[2^63]"])
    assert.deepStrictEqual(serviceNames(0n), [])
    assert.isTrue(offers(0x409n, 9n))
    assert.isFalse(offers(1n, 9n))
  })
})
