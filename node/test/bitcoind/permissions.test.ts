import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { permitting } from "../../src/net/peer-permissions.ts"
import { endpoint } from "../p2p/transport/transport-suite.ts"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeEach(() => void (home = makeHome()))
afterEach(() => home.remove())

const IMPLICIT = ["download", "mempool", "noban", "relay"]

/** The permissions of a connection from, or to, an address, under these words. */
const granted = (
  words: string,
  place: string,
  { inbound = true, local }: { readonly inbound?: boolean; readonly local?: string } = {}
): ReadonlyArray<string> => {
  const plan = home.plan("-regtest", ...words.split(" "))
  if (Result.isFailure(plan)) throw new Error(plan.failure.problems.join("; "))
  const { address } = endpoint(`${place}:1`)
  const permits = permitting(plan.success.grants)
  return [...permits({ address, inbound, local: local === undefined ? undefined : endpoint(local) })].toSorted()
}

describe("-whitelist and -whitebind", () => {
  it("grant what they name, with what that implies, to the subnet alone", () => {
    assert.deepStrictEqual(granted("-whitelist=addr,bloom@10.0.0.0/8", "10.2.0.1"), ["addr", "bloomfilter"])
    assert.deepStrictEqual(granted("-whitelist=addr,bloom@10.0.0.0/8", "11.2.0.1"), [])
    assert.deepStrictEqual(granted("-whitelist=forcerelay@10.0.0.1", "10.0.0.1"), ["forcerelay", "relay"])
    assert.deepStrictEqual(granted("-whitelist=noban@10.0.0.1", "10.0.0.1"), ["download", "noban"])
    assert.deepStrictEqual(granted("-whitelist=all@10.0.0.1", "10.0.0.1").length, 7)
    assert.deepStrictEqual(granted("-whitelist=@10.0.0.1", "10.0.0.1"), [])
    assert.deepStrictEqual(
      granted("-whitelist=addr@10.0.0.1 -whitelist=download@10.0.0.0/8", "10.0.0.1"),
      ["addr", "download"]
    )
  })

  it("grant without names what Bitcoin Core does, as far as other options have it", () => {
    assert.deepStrictEqual(granted("-whitelist=10.0.0.1", "10.0.0.1"), IMPLICIT)
    assert.deepStrictEqual(granted("-whitelist=10.0.0.1 -whitelistforcerelay", "10.0.0.1"), [
      "download",
      "forcerelay",
      "mempool",
      "noban",
      "relay"
    ])
    for (const word of ["-whitelistrelay=0", "-blocksonly"]) {
      assert.notInclude(granted(`-whitelist=10.0.0.1 ${word}`, "10.0.0.1"), "relay", word)
    }
  })

  it("hold for inbound connections unless a direction is named", () => {
    const of = (names: string) =>
      [true, false].map((inbound) => granted(`-whitelist=${names}@10.0.0.1`, "10.0.0.1", { inbound }).length > 0)
    assert.deepStrictEqual(of("addr"), [true, false])
    assert.deepStrictEqual(of("out,addr"), [false, true])
    assert.deepStrictEqual(of("in,out,addr"), [true, true])
  })

  it("hold for what connects at the place of -whitebind", () => {
    const of = (local: string) => granted("-whitebind=relay@127.0.0.1:18555", "127.0.0.1", { local })
    assert.deepStrictEqual(of("127.0.0.1:18555"), ["relay"])
    assert.deepStrictEqual(of("127.0.0.1:18444"), [])
    assert.deepStrictEqual(granted("-whitebind=127.0.0.1:18555", "127.0.0.1", { local: "127.0.0.1:18555" }), IMPLICIT)
  })
})
