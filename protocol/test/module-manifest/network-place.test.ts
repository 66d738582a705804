import { assert, describe, it } from "vitest"
import {
  type NetworkPlace,
  networkPlaceOf,
  networkTargetOf,
  placeOfTarget
} from "../../src/module-manifest/network-place.ts"

const place = (text: string): NetworkPlace => networkPlaceOf(text)!

describe("places that a manifest names", () => {
  it("are a host, or all hosts, with a port or ports", () => {
    assert.deepStrictEqual(place("example.org:443"), { host: "example.org", ports: { least: 443, most: 443 } })
    assert.deepStrictEqual(place("*:1-9"), { host: undefined, ports: { least: 1, most: 9 } })
    assert.deepStrictEqual(place("[::1]:8333"), { host: "::1", ports: { least: 8_333, most: 8_333 } })
  })
})

describe("what a module connects to", () => {
  it("is a host and a port up to 65,535", () => {
    assert.deepStrictEqual(networkTargetOf("[::1]:65535"), { host: "::1", port: 65_535 })
    assert.deepStrictEqual(networkTargetOf("example.org:0"), { host: "example.org", port: 0 })
    for (const text of ["example.org:65536", "example.org", ":1", "example.org:x"]) {
      assert.isUndefined(networkTargetOf(text), text)
    }
  })

  it("is held by a place that names its host before one that names none", () => {
    const [all, more, named] = [place("*:400-500"), place("*:443"), place("example.org:443")]
    const holder = (places: ReadonlyArray<NetworkPlace>, text: string) => placeOfTarget(places, networkTargetOf(text)!)
    assert.strictEqual(holder([all], "example.org:443"), all)
    assert.strictEqual(holder([all, more], "example.org:443"), all)
    assert.strictEqual(holder([all, named], "example.org:443"), named)
    assert.strictEqual(holder([all, named], "example.com:443"), all)
    assert.isUndefined(holder([named], "example.com:443"))
    for (const [port, isHeld] of [[399, false], [400, true], [500, true], [501, false]] as const) {
      assert.strictEqual(holder([all], `example.org:${port}`) !== undefined, isHeld, `${port}`)
    }
  })
})
