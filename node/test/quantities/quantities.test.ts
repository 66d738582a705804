import { assert, describe, it } from "@effect/vitest"
import { banList } from "../../src/p2p/connections/ban-list.ts"
import { parseSubnet } from "../../src/net/subnet.ts"
import { millisecondsOf, secondsOf, unixMilliseconds, unixSeconds } from "../../src/quantities.ts"

describe("times by unit", () => {
  it("seconds of a time are whole and rounded down, and become milliseconds again", () => {
    assert.strictEqual(secondsOf(unixMilliseconds(1_700_193_573_999)), 1_700_193_573)
    assert.strictEqual(millisecondsOf(unixSeconds(1_700_193_573)), 1_700_193_573_000)
  })

  it("milliseconds do not compile where seconds are meant, as in the ban list", () => {
    const bans = banList()
    const subnet = parseSubnet("192.0.2.1")!
    const [created, until] = [unixSeconds(1_700_000_000), unixSeconds(1_700_000_100)]
    bans.ban({ subnet, created, until })
    assert.isTrue(bans.has(subnet, created))
    // @ts-expect-error every ban has ended by then: what mixing the units costs
    assert.isFalse(bans.has(subnet, millisecondsOf(created)))
    // @ts-expect-error a plain number has no unit
    assert.isTrue(bans.has(subnet, 1_700_000_000))
  })
})
