import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { asmapGroups, PREFIX_GROUPS } from "../../../src/net/net-groups.ts"
import { asmapHealth } from "../../../src/net/asmap-health.ts"
import { loadAsmap } from "../../../src/net/load-asmap.ts"
import { addressBook } from "../../../src/p2p/addresses/address-book.ts"
import { decodeAddresses, encodeAddresses } from "../../../src/p2p/addresses/saved-addresses.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { makePlace, type Place } from "../../bitcoind/bitcoind-process.ts"
import { TWO_SYSTEMS as ASMAP } from "./two-systems.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { endpoint } from "../transport/transport-suite.ts"

const at = (text: string) => endpoint(text).address

const TIME = 1_700_193_573

describe("groups by an asmap", () => {
  it("are the autonomous systems, and the first bytes where none is known", () => {
    const { asn, group } = asmapGroups(ASMAP)
    assert.deepStrictEqual(["1.2.3.4:1", "99.1.1.1:1", "200.1.1.1:1"].map((text) => asn(at(text))), [
      64_512,
      64_512,
      64_513
    ])
    assert.strictEqual(group(at("1.2.3.4:1")), group(at("99.1.1.1:1")))
    assert.notStrictEqual(group(at("1.2.3.4:1")), group(at("200.1.1.1:1")))
    // Addresses of this machine, of the local network, and those that the map does not know.
    for (const text of ["127.0.0.1:1", "10.0.0.1:1", "[2a00::1]:1"]) {
      assert.isUndefined(asn(at(text)), text)
      assert.strictEqual(group(at(text)), PREFIX_GROUPS.group(at(text)))
    }
    // 6to4 of 200.1.1.1.
    assert.strictEqual(asn(at("[2002:c801:101::1]:1")), 64_513)
  })

  it.live("come from a file that is one; another is refused in Bitcoin Core's words", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const [good, bad, none] = ["good", "bad", "none"].map((name) => join(directory, name)) as [string, string, string]
      writeFileSync(good, ASMAP)
      writeFileSync(bad, ASMAP.subarray(1))
      const { version } = yield* loadAsmap(good)
      assert.match(version!, /^[0-9a-f]{64}$/)
      assert.strictEqual((yield* loadAsmap(undefined)).version, undefined)
      assert.strictEqual((yield* Effect.flip(loadAsmap(bad))).message, `Could not parse asmap file "${bad}"`)
      assert.strictEqual((yield* Effect.flip(loadAsmap(none))).message, `Could not find asmap file "${none}"`)
    }))

  it("are logged with how many systems and unmapped addresses of the internet they have", () => {
    const known = ["1.2.3.4:1", "99.1.1.1:1", "200.1.1.1:1", "[2a00::1]:1"].map(at)
    assert.deepStrictEqual(asmapHealth(asmapGroups(ASMAP), known), { clearnet: 4, systems: 2, unmapped: 1 })
    const onion = { network: AddressNetwork.TORV3, bytes: new Uint8Array(32) }
    assert.deepStrictEqual(asmapHealth(asmapGroups(ASMAP), [onion]), { clearnet: 0, systems: 0, unmapped: 0 })
  })

  it("put addresses of one system into few tried buckets, and sort a saved addrman anew", () => {
    const environment = { now: () => unixMilliseconds(TIME * 1_000), random: seededRandom(3) }
    const groups = asmapGroups(ASMAP)
    const nodes = Array.from({ length: 200 }, (_, i) => ({
      ...endpoint(`${1 + (i % 8)}.${i}.1.1:8333`),
      services: 9n,
      time: TIME
    }))
    const bucketsWith = (given: typeof groups | undefined): number => {
      const { table } = addressBook(environment, undefined, given)
      const book = addressBook(environment, table)
      book.add(nodes, at("9.9.9.9:1"))
      return new Set(table.list.map((node) => table.places.tried(node))).size
    }
    assert.isAtMost(bucketsWith(groups), 8)
    assert.isAbove(bucketsWith(undefined), 60)

    const before = addressBook(environment)
    before.add(nodes, at("9.9.9.9:1"))
    const text = encodeAddresses(before.table)
    const same = decodeAddresses(text)!
    assert.deepStrictEqual(
      same.list.map(({ newBuckets }) => [...newBuckets]),
      before.table.list.map(({ newBuckets }) => [...newBuckets])
    )
    const sorted = decodeAddresses(text, groups)!
    assert.isAbove(sorted.list.length, 0)
    for (const node of sorted.list) {
      assert.deepStrictEqual([...node.newBuckets], [sorted.places.fresh(node, node.source)])
    }
    assert.strictEqual(decodeAddresses(encodeAddresses(sorted), groups)!.list.length, sorted.list.length)
  })
})

describe("node/bin/bitcoind with -asmap", () => {
  let place: Place
  beforeEach(async () => void (place = await makePlace()))
  afterEach(() => place.remove())

  it("does not start with a file that is none, or without one", async () => {
    const refusal = async (...words: ReadonlyArray<string>) => {
      const { exitCode, stderr } = await place.start(...words).ended
      assert.strictEqual(exitCode, 1)
      return stderr
    }
    assert.strictEqual(await refusal("-asmap"), "Error: Embedded asmap data not available\n")
    const file = join(place.directory, "no.map")
    assert.strictEqual(await refusal("-asmap=no.map"), `Error: Could not find asmap file "${file}"\n`)
    writeFileSync(file, ASMAP.subarray(1))
    assert.strictEqual(await refusal("-asmap=no.map"), `Error: Could not parse asmap file "${file}"\n`)
  })

  it("says which version it uses, and how much it knows of addresses", async () => {
    const file = join(place.base, "good.map")
    writeFileSync(file, ASMAP)
    const { ended } = place.start(`-asmap=${file}`)
    await place.ready()
    await place.call("stop")
    await ended
    const log = place.debugLog()
    assert.include(log, `Opened asmap file "${file}" (${ASMAP.length} bytes) from disk`)
    assert.include(log, `Using asmap version ${asmapGroups(ASMAP).version} for IP bucketing`)
    assert.include(log, "ASMap Health Check: 0 clearnet peers are mapped to 0 ASNs with 0 peers being unmapped")
  })
})
