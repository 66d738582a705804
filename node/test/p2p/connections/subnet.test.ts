import { assert, describe, it } from "@effect/vitest"
import { parseSubnet, subnetHolds, subnetOf, subnetText } from "../../../src/net/subnet.ts"
import { endpoint } from "../transport/transport-suite.ts"

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

  it("of one address have its whole length", () => {
    assert.strictEqual(subnetText(subnetOf(address("192.0.2.1"))), "192.0.2.1/32")
    assert.strictEqual(subnetText(subnetOf(address("2001:db8::1"))), "2001:db8::1/128")
  })
})
