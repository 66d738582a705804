import { networkPlaceOf } from "@lockstep/protocol/module-manifest/index.ts"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { connectTarget, listenTarget, type NetworkRules } from "../../src/modules/network/network-rules.ts"

const places = (...texts: ReadonlyArray<string>) => texts.map((text) => networkPlaceOf(text)!)

const RULES: NetworkRules = {
  listen: places("127.0.0.1:3333"),
  connect: places("pool.example:3333", "127.0.0.1:*", "*:443"),
  isBehindProxy: false
}

const kindOf = (result: Result.Result<unknown, { readonly kind?: unknown }>): unknown =>
  Result.match(result, { onSuccess: () => "none", onFailure: ({ kind }) => kind })

const refusalOf = (result: Result.Result<unknown, { readonly text: string }>): string =>
  Result.match(result, { onSuccess: () => "none", onFailure: ({ text }) => text })

describe("where a module may listen and connect", () => {
  it("is what was named, in its words, and nothing else", () => {
    assert.strictEqual(refusalOf(listenTarget(RULES, "127.0.0.1:3333")), "none")
    assert.include(refusalOf(listenTarget(RULES, "127.0.0.1:3334")), "network_listen does not name 127.0.0.1:3334")
    assert.include(refusalOf(listenTarget(RULES, "nowhere")), "nowhere is no address: write host:port")
    for (const named of ["pool.example:3333", "127.0.0.1:9", "any.example:443"]) {
      assert.strictEqual(refusalOf(connectTarget(RULES, named)), "none", named)
    }
    assert.include(refusalOf(connectTarget(RULES, "pool.example:3334")), "network_connect does not name")
  })

  it("is denied for want of permission, but where no address was given", () => {
    assert.strictEqual(kindOf(listenTarget(RULES, "127.0.0.1:3334")), "PermissionDenied")
    assert.strictEqual(kindOf(connectTarget(RULES, "pool.example:3334")), "PermissionDenied")
    assert.strictEqual(
      kindOf(connectTarget({ ...RULES, isBehindProxy: true }, "pool.example:3333")),
      "PermissionDenied"
    )
    assert.strictEqual(kindOf(listenTarget(RULES, "nowhere")), undefined)
    const { addressFault } = Result.getOrThrow(connectTarget(RULES, "any.example:443"))
    assert.strictEqual(addressFault("127.0.0.1")?.kind, "PermissionDenied")
  })

  it.each([
    ["any.example:443", "8.8.8.8", false, "none"],
    ["any.example:443", "192.168.1.5", false, "none"],
    ["any.example:443", "127.0.0.1", false, "is this machine, which network_connect must name by its host"],
    ["any.example:443", "::1", false, "is this machine"],
    ["any.example:443", "any.example", false, "any.example is no address"],
    ["127.0.0.1:9", "127.0.0.1", false, "none"],
    ["127.0.0.1:9", "127.0.0.1", true, "none"],
    ["8.8.8.8:443", "8.8.8.8", false, "none"],
    ["8.8.8.8:443", "8.8.8.8", true, "the node has a proxy, which connections of modules do not use"],
    ["192.168.1.5:443", "192.168.1.5", true, "none"],
    ["10.0.0.1:443", "10.0.0.1", true, "none"]
  ])("for %s, found at %s, behind a proxy %s: %s", (text, address, isBehindProxy, message) => {
    const { addressFault } = Result.getOrThrow(connectTarget({ ...RULES, isBehindProxy }, text))
    assert.include(addressFault(address)?.text ?? "none", message)
  })

  it("is no name behind a proxy, since looking it up would go past that", () => {
    const rules = { ...RULES, isBehindProxy: true }
    assert.include(refusalOf(connectTarget(rules, "pool.example:3333")), "looks up no names for modules")
  })
})
