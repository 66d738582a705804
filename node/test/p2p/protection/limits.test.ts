import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import { PROTECTION } from "../../../src/p2p/protection/limits.ts"

const MINUTE = 60_000

/** Numbers that the reference implementation is known for. */
const KNOWN: Readonly<Record<string, number>> = {
  "wire.locatorHashes": 101,
  "wire.filterRange": 1_000,
  "wire.filterHeaderRange": 2_000,
  "peer.received": 5_000_000,
  "peer.unsent": 1_000_000,
  "peer.handshake": MINUTE,
  "peer.silence": 20 * MINUTE,
  "peer.pingInterval": 2 * MINUTE,
  "connections.fullRelay": 8,
  "connections.blockRelay": 2,
  "connections.feelers": 1,
  "connections.manual": 8,
  "connections.banTime": 24 * 60 * MINUTE,
  "addresses.newBuckets": 1_024,
  "addresses.triedBuckets": 256,
  "addresses.bucketSize": 64,
  "addresses.anchors": 2,
  "addresses.intakeRate": 0.1,
  "addresses.answered": 1_000,
  "sync.window": 1_024,
  "sync.perPeer": 16,
  "sync.stall": 2_000,
  "sync.stallAtMost": 64_000,
  "sync.headers": 15 * MINUTE,
  "sync.headersEach": 1,
  "serving.compactDepth": 5,
  "serving.transactionsDepth": 10,
  "serving.staleAge": 30 * 24 * 60 * MINUTE,
  "relay.announcements": 5_000,
  "relay.inFlight": 100,
  "relay.requestTime": MINUTE,
  "relay.getdata": 1_000,
  "relay.orphanWeight": 404_000,
  "relay.orphanAnnouncements": 3_000
}

/** The text of every test of the network layer and of its messages. */
const tests = (): string => {
  const folders = ["../../../test/p2p/", "../../../../protocol/test/"].map((path) => new URL(path, import.meta.url))
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => readFileSync(new URL(name, folder), "utf8"))).join("\n")
}

describe("limits", () => {
  it("have a name of their own, a number, a unit and a source", () => {
    assert.strictEqual(new Set(PROTECTION.map(({ name }) => name)).size, PROTECTION.length)
    for (const { most, name, source, unit } of PROTECTION) {
      assert.isAbove(most, 0, name)
      assert.isTrue(unit.length > 3 && source.length > 3, name)
    }
  })

  it("are those of the reference implementation", () => {
    const found = Object.fromEntries(PROTECTION.map(({ most, name }) => [name, most]))
    assert.deepStrictEqual(Object.fromEntries(Object.keys(KNOWN).map((name) => [name, found[name]])), KNOWN)
    assert.deepStrictEqual(DEFAULT_LIMITS, { messageLength: 33_554_432, addresses: 1_000, inventory: 50_000, headers: 2_000 })
  })

  it("that come from an advisory have a test that names it", () => {
    const all = tests()
    const advisories = new Set(PROTECTION.flatMap(({ source }) => source.match(/CVE-\d{4}-\d+/g) ?? []))
    assert.isAtLeast(advisories.size, 5)
    assert.deepStrictEqual([...advisories].filter((advisory) => !all.includes(advisory)), [])
  })
})
