import { assert, describe, it } from "vitest"
import { AddressNetwork } from "../../src/wire/address/network-address.ts"
import { isRoutable, isValid } from "../../src/wire/address/is-routable.ts"

const ipv4 = (text: string) => ({ network: AddressNetwork.IPV4, bytes: Uint8Array.from(text.split("."), Number) })

/** Eight groups of hexadecimal digits, none left out. */
const ipv6 = (text: string) => {
  const groups = text.split(":").map((group) => Number.parseInt(group, 16))
  assert.lengthOf(groups, 8)
  return { network: AddressNetwork.IPV6, bytes: Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff])) }
}

type Range = readonly [why: string, before: string | undefined, first: string, last: string, after: string | undefined]

/** Ranges that no node in the internet has: the addresses at their ends, and those beside them, which are routable. */
const IPV4: ReadonlyArray<Range> = [
  ["0.0.0.0/8", undefined, "0.0.0.0", "0.255.255.255", "1.0.0.0"],
  ["10.0.0.0/8", "9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"],
  ["100.64.0.0/10", "100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"],
  ["127.0.0.0/8", "126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"],
  ["169.254.0.0/16", "169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"],
  ["172.16.0.0/12", "172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"],
  ["192.0.2.0/24", "192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"],
  ["192.168.0.0/16", "192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"],
  ["198.18.0.0/15", "198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"],
  ["198.51.100.0/24", "198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"],
  ["203.0.113.0/24", "203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"],
  ["255.255.255.255/32", "255.255.255.254", "255.255.255.255", "255.255.255.255", undefined]
]

const IPV6: ReadonlyArray<Range> = [
  ["::1/128", undefined, "0:0:0:0:0:0:0:1", "0:0:0:0:0:0:0:1", "0:0:0:0:0:0:0:2"],
  [
    "fe80::/64",
    "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "fe80:0:0:0:0:0:0:0",
    "fe80:0:0:0:ffff:ffff:ffff:ffff",
    "fe80:0:0:1:0:0:0:0"
  ],
  [
    "fc00::/7",
    "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "fc01:0:0:0:0:0:0:0",
    "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "fe00:0:0:0:0:0:0:0"
  ],
  [
    "2001:10::/28",
    "2001:f:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:10:0:0:0:0:0:0",
    "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff",
    undefined
  ],
  ["2001:20::/28", undefined, "2001:20:0:0:0:0:0:0", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff", "2001:30:0:0:0:0:0:0"],
  [
    "2001:db8::/32",
    "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:db8:0:0:0:0:0:0",
    "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:db9:0:0:0:0:0:0"
  ]
]

describe("a routable address", () => {
  for (const [read, ranges] of [[ipv4, IPV4], [ipv6, IPV6]] as const) {
    it.each(ranges)(
      "is none in %s, from its first to its last, and is one beside it",
      (_, before, first, last, after) => {
        for (const inside of [first, last]) assert.isFalse(isRoutable(read(inside)), inside)
        for (const beside of [before, after]) if (beside !== undefined) assert.isTrue(isRoutable(read(beside)), beside)
      }
    )
  }

  it("is not the address of all zeros", () => {
    assert.isFalse(isRoutable(ipv6("0:0:0:0:0:0:0:0")))
    assert.isFalse(isValid(ipv6("0:0:0:0:0:0:0:0")))
    assert.isFalse(isValid(ipv4("0.0.0.0")))
  })
})

describe("a valid address", () => {
  it("is any but none, the broadcast address, and the examples of books", () => {
    for (const valid of ["0.0.0.1", "10.0.0.1", "127.0.0.1", "255.255.255.254", "192.0.2.1"]) {
      assert.isTrue(isValid(ipv4(valid)), valid)
    }
    assert.isFalse(isValid(ipv4("255.255.255.255")))
    assert.isTrue(isValid(ipv6("0:0:0:0:0:0:0:1")))
    assert.isFalse(isValid(ipv6("2001:db8:0:0:0:0:0:1")))
    assert.isFalse(isValid({ network: 77, bytes: new Uint8Array(9).fill(1) }))
    assert.isTrue(isValid({ network: AddressNetwork.TORV3, bytes: new Uint8Array(32).fill(1) }))
  })

  it("on a network of its own is routable", () => {
    assert.isTrue(isRoutable({ network: AddressNetwork.TORV3, bytes: new Uint8Array(32).fill(1) }))
    assert.isFalse(isRoutable({ network: 77, bytes: new Uint8Array(9).fill(1) }))
  })
})
