import { unixSeconds } from "../../../src/quantities.ts"
import { assert, describe, it } from "@effect/vitest"
import { bucketPlaces } from "../../../src/p2p/addresses/table/bucket-places.ts"
import type { KnownNode } from "../../../src/p2p/addresses/table/known-node.ts"
import { endpointKey } from "../../../src/net/endpoint-text.ts"
import { PREFIX_GROUPS } from "../../../src/net/net-groups.ts"
import { endpoint } from "../transport/transport-suite.ts"

const places = bucketPlaces(new Uint8Array(32).fill(7))
const others = bucketPlaces(new Uint8Array(32).fill(8))

const NEVER = unixSeconds(0)

const node = (text: string): KnownNode => {
  const place = endpoint(text)
  return {
    ...place,
    key: endpointKey(place),
    source: place.address,
    services: 0n,
    time: NEVER,
    lastTry: NEVER,
    lastCountedTry: NEVER,
    lastSuccess: NEVER,
    attempts: 0,
    isTried: false,
    newBuckets: new Set(),
    position: 0
  }
}

const source = (text: string) => endpoint(`${text}:1`).address

/** Nodes of one /16. */
const oneGroup = Array.from({ length: 2_000 }, (_, i) => node(`20.1.${i >> 8}.${i & 255}:8333`))
/** Nodes of as many groups. */
const manyGroups = Array.from({ length: 2_000 }, (_, i) => node(`${20 + (i >> 8)}.${i & 255}.1.1:8333`))

const different = (numbers: ReadonlyArray<number>): number => new Set(numbers).size

describe("places in the addrman", () => {
  it("addresses of one network group fill at most 8 of the 256 tried buckets (eclipse bound)", () => {
    assert.strictEqual(different(oneGroup.map(places.tried)), 8)
  })

  it("addresses of many network groups reach all 256 tried buckets, and no other", () => {
    const buckets = manyGroups.map(places.tried)
    assert.isAtLeast(different(buckets), 250)
    assert.isTrue(buckets.every((bucket) => Number.isInteger(bucket) && bucket >= 0 && bucket < 256))
  })

  it("a source group reaches at most 64 of the 1,024 new buckets, whatever it names", () => {
    const buckets = manyGroups.map((each) => places.fresh(each, source("30.1.1.1")))
    assert.isAtMost(different(buckets), 64)
    assert.isAtLeast(different(buckets), 60)
    assert.deepStrictEqual(manyGroups.map((each) => places.fresh(each, source("30.1.200.7"))), buckets)
  })

  it("addresses of one network group named by one source group share one new bucket", () => {
    assert.strictEqual(different(oneGroup.map((each) => places.fresh(each, source("30.1.1.1")))), 1)
  })

  it("many source groups reach all 1,024 new buckets, and no other", () => {
    const buckets = manyGroups.flatMap((each, i) =>
      [1, 2, 3, 4].map((k) => places.fresh(each, source(`${30 + k}.${i & 255}.1.1`)))
    )
    assert.isAtLeast(different(buckets), 1_000)
    assert.isTrue(buckets.every((bucket) => Number.isInteger(bucket) && bucket >= 0 && bucket < 1_024))
  })

  it("the slot of a node differs from bucket to bucket, and between new and tried", () => {
    for (const each of oneGroup.slice(0, 20)) {
      const slots = Array.from({ length: 200 }, (_, bucket) => places.within(each, false, bucket))
      assert.isAtLeast(different(slots), 40)
      assert.isTrue(slots.every((slot) => Number.isInteger(slot) && slot >= 0 && slot < 64))
      const tried = Array.from({ length: 200 }, (_, bucket) => places.within(each, true, bucket))
      assert.isAtMost(tried.filter((slot, bucket) => slot === slots[bucket]).length, 20)
    }
  })

  it("the slots of the nodes of one bucket are spread over all 64", () => {
    assert.strictEqual(different(oneGroup.map((each) => places.within(each, true, 5))), 64)
  })

  it("the port belongs to the address: two nodes at one address have places of their own", () => {
    const ports = Array.from({ length: 200 }, (_, i) => node(`20.1.1.1:${1_000 + i}`))
    assert.isAtLeast(different(ports.map((each) => places.within(each, true, 5))), 40)
    assert.strictEqual(different(ports.map(places.tried)), 8)
  })

  it("what one autonomous system routes is one group, as an address and as a source", () => {
    const asn = () => 64_500
    const routed = bucketPlaces(new Uint8Array(32).fill(7), { ...PREFIX_GROUPS, asn })
    assert.isAtMost(different(manyGroups.map(routed.tried)), 8)
    const buckets = manyGroups.map((each, i) => routed.fresh(each, source(`${31 + i % 9}.${i & 255}.1.1`)))
    assert.strictEqual(different(buckets), 1)
  })

  it("another key gives other places: they cannot be foreseen", () => {
    const same = (of: (which: typeof places) => (each: KnownNode) => number): number =>
      manyGroups.filter((each) => of(places)(each) === of(others)(each)).length
    assert.isAtMost(same((which) => which.tried), 40)
    assert.isAtMost(same((which) => (each) => which.fresh(each, source("30.1.1.1"))), 40)
    assert.isAtMost(same((which) => (each) => which.within(each, false, 9)), 100)
  })
})

describe("places under the key of Bitcoin Core's deterministic addrman", () => {
  const { fresh, tried, within } = bucketPlaces(Uint8Array.of(1, ...new Uint8Array(31)))

  /** What Bitcoin Core 31 shows with `-test=addrman`, by `getrawaddrman`. */
  it.each([
    ["2.0.0.0:8333", "82/8"],
    ["[2803:0:1234:abcd::1]:45324", "613/6"],
    ["c4gfnttsuwqomiygupdqqqyy5y5emnk5c73hrfvatri67prd7vyq.b32.i2p:8333", "963/46"]
  ])("%s that announced itself has the new place %s", (text, place) => {
    const at = node(text)
    const bucket = fresh(at, at.address)
    assert.strictEqual(`${bucket}/${within(at, false, bucket)}`, place)
  })

  it.each([
    ["1.2.3.4:8333", "6/33"],
    ["[1233:3432:2434:2343:3234:2345:6546:4534]:8333", "197/34"],
    ["pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:8333", "72/61"],
    ["nrfj6inpyf73gpkyool35hcmne5zwfmse3jl3aw23vk7chdemalyaqad.onion:45324", "139/46"]
  ])("%s has the tried place %s", (text, place) => {
    const at = node(text)
    const bucket = tried(at)
    assert.strictEqual(`${bucket}/${within(at, true, bucket)}`, place)
  })
})
