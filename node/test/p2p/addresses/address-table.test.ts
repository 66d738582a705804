import { assert, describe, it } from "@effect/vitest"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import { addressBook, type AddressBook } from "../../../src/p2p/addresses/address-book.ts"
import { decodeAddresses, encodeAddresses } from "../../../src/p2p/addresses/saved-addresses.ts"
import { knownAt, rivalOf, slotOf } from "../../../src/p2p/addresses/table/address-table.ts"
import { isTerrible, type KnownNode, likelihood } from "../../../src/p2p/addresses/table/known-node.ts"
import { endpointKey } from "../../../src/net/endpoint-text.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { unixMilliseconds, unixSeconds } from "../../../src/quantities.ts"

const NOW = unixSeconds(1_700_193_573)
const NEVER = unixSeconds(0)
const DAY = 86_400
const SERVICES = 9n

const bookAt = (seed = 7) => {
  const clock = { now: NOW * 1_000 }
  const book = addressBook({ now: () => unixMilliseconds(clock.now), random: seededRandom(seed) })
  return { book, clock }
}

const known = (text: string, more: Partial<KnownAddress> = {}): KnownAddress => ({
  ...endpoint(text),
  services: SERVICES,
  time: NOW,
  ...more
})

/** Another address for each number, in another network for each 65,536. */
const nth = (i: number): string => `${11 + (i >> 16)}.${i >> 8 & 0xff}.${i & 0xff}.1:8333`

const source = (text: string) => endpoint(`${text}:1`).address

/** What must hold of a table at any time. */
const check = ({ table }: AddressBook): void => {
  assert.strictEqual(table.all.size, table.list.length)
  assert.strictEqual(table.freshCount + table.triedCount, table.list.length)
  table.list.forEach((node, i) => {
    assert.strictEqual(node.position, i)
    assert.isTrue(node.isTried !== node.newBuckets.size > 0, "either tried or in new buckets")
    assert.isAtMost(node.newBuckets.size, 8)
  })
  const places = table.fresh.filter((node) => node !== undefined).length
  assert.strictEqual(places, table.list.reduce((sum, { newBuckets }) => sum + newBuckets.size, 0))
  assert.strictEqual(table.tried.filter((node) => node !== undefined).length, table.triedCount)
  assert.strictEqual(table.freshIn.reduce((sum, count) => sum + count, 0), places)
  assert.strictEqual(table.triedIn.reduce((sum, count) => sum + count, 0), table.triedCount)
}

describe("the table of known nodes", () => {
  it("takes addresses that others could reach, once", () => {
    const { book } = bookAt()
    assert.strictEqual(
      book.add([known("11.1.1.1:8333"), known("11.1.1.1:8333"), known("11.1.1.1:8334")], source("12.1.1.1")),
      2
    )
    assert.strictEqual(
      book.add([known("127.0.0.1:8333"), known("192.168.1.1:8333"), known("11.1.1.2:0")], source("12.1.1.1")),
      0
    )
    const i2p = "ukeu3k5oycgaauneqgtnvselmt4yemvoilkln7jpvamvfx7dnkdq.b32.i2p"
    assert.strictEqual(book.add([known(`${i2p}:0`)], source("12.1.1.1")), 1, "I2P has no ports")
    const future = { network: 77, bytes: new Uint8Array(9) }
    assert.strictEqual(book.add([{ ...known("11.1.1.1:1"), address: future }], source("12.1.1.1")), 0)
    check(book)
  })

  it("one source reaches few of its buckets, however much it sends (eclipse: 64 of 1,024 buckets)", () => {
    const { book } = bookAt()
    for (let i = 0; i < 20_000; i++) book.add([known(nth(i))], source("12.1.1.1"))
    const buckets = new Set(book.table.list.flatMap(({ newBuckets }) => [...newBuckets]))
    assert.isAtMost(buckets.size, 64)
    assert.isAtMost(book.size(), 64 * 64)
    check(book)
  })

  it("CVE-2024-52919: numbers given to addresses never run out, and what is forgotten leaves nothing behind", () => {
    const { book } = bookAt()
    for (let i = 0; i < 40_000; i++) book.add([known(nth(i))], source(`${13 + (i & 63)}.1.1.1`))
    assert.isAtMost(book.size(), 1_024 * 64)
    check(book)
  })

  it("an address that many sources send gets up to eight places, each less likely than the one before", () => {
    const { book, clock } = bookAt()
    for (let i = 0; i < 4_000; i++) {
      clock.now += 2 * DAY * 1_000
      // With the penalty of hearsay: the time would else be no news to the next one.
      book.add(
        [known("11.1.1.1:8333", { time: clock.now / 1_000 })],
        source(`${12 + (i % 100)}.${i & 0xff}.1.1`),
        7_200
      )
    }
    const { newBuckets } = knownAt(book.table, endpoint("11.1.1.1:8333"))!
    assert.isAtLeast(newBuckets.size, 4)
    assert.isAtMost(newBuckets.size, 8)
    check(book)
  })

  it("what others say counts as older, what a node says of itself does not", () => {
    const { book } = bookAt()
    book.add([known("11.1.1.1:8333")], source("12.1.1.1"), 7_200)
    book.add([known("12.1.1.1:8333")], source("12.1.1.1"), 7_200)
    assert.strictEqual(knownAt(book.table, endpoint("11.1.1.1:8333"))!.time, NOW - 7_200)
    assert.strictEqual(knownAt(book.table, endpoint("12.1.1.1:8333"))!.time, NOW)
  })

  it("a success moves a node from new to tried; on a collision the node in the slot keeps it until it was tested", () => {
    const { book, clock } = bookAt()
    for (let i = 0; i < 20_000 && book.table.collisions.size === 0; i++) {
      book.add([known(nth(i))], source(`${13 + (i & 63)}.1.1.1`))
      book.good(endpoint(nth(i)))
    }
    const [waiting] = [...book.table.collisions]
    const rival = rivalOf(book.table, waiting!)!
    assert.isTrue(rival.isTried)
    assert.isFalse(waiting!.isTried)
    assert.strictEqual(book.chooseRival(), rival)
    book.resolveCollisions()
    assert.isTrue(rival.isTried, "its success was less than four hours ago")
    assert.isFalse(book.table.collisions.has(waiting!))

    clock.now += 5 * 3_600_000
    book.good(waiting!)
    assert.isTrue(book.table.collisions.has(waiting!))
    book.attempted(rival, true)
    book.resolveCollisions()
    assert.isTrue(rival.isTried, "its answer may still come")
    clock.now += 61_000
    book.resolveCollisions()
    assert.isTrue(waiting!.isTried)
    assert.isFalse(rival.isTried)
    assert.isTrue(rival.newBuckets.size > 0)
    check(book)
  })

  it("at most ten wait for a place", () => {
    const { book } = bookAt()
    for (let i = 0; i < 20_000; i++) {
      book.add([known(nth(i))], source(`${13 + (i & 63)}.1.1.1`))
      book.good(endpoint(nth(i)))
    }
    assert.strictEqual(book.table.collisions.size, 10)
    check(book)
  })

  /** Two nodes that one source puts into the same slot of a new bucket. */
  const rivals = ({ book }: ReturnType<typeof bookAt>) => {
    const { table } = book
    const from = source("12.1.1.1")
    const slots = new Map<number, string>()
    for (let i = 0; i < 100_000; i++) {
      const place = endpoint(nth(i))
      const node = { ...place, key: endpointKey(place) } as KnownNode
      const slot = slotOf(table, node, false, table.places.fresh(node, from))
      const first = slots.get(slot)
      if (first !== undefined) return { first, second: nth(i), from, slot }
      slots.set(slot, nth(i))
    }
    throw new Error("no two nodes share a slot")
  }

  it("a good holder of a new slot stays, and the node that would take its place is not kept", () => {
    const at = bookAt()
    const { first, from, second, slot } = rivals(at)
    assert.strictEqual(at.book.add([known(first)], from), 1)
    assert.strictEqual(at.book.add([known(second)], from), 0)
    assert.strictEqual(at.book.table.fresh[slot], knownAt(at.book.table, endpoint(first)))
    assert.isUndefined(knownAt(at.book.table, endpoint(second)))
    check(at.book)
  })

  it("a terrible holder of a new slot is replaced and forgotten", () => {
    const at = bookAt()
    const { first, from, second, slot } = rivals(at)
    at.book.add([known(first, { time: unixSeconds(NOW - 29 * DAY) })], from)
    at.clock.now += 2 * DAY * 1_000
    assert.strictEqual(at.book.add([known(second, { time: unixSeconds(NOW + 2 * DAY) })], from), 1)
    assert.strictEqual(at.book.table.fresh[slot], knownAt(at.book.table, endpoint(second)))
    assert.isUndefined(knownAt(at.book.table, endpoint(first)))
    check(at.book)
  })

  it("a holder that has other buckets makes room for a node that has none", () => {
    const at = bookAt()
    const { first, from, second, slot } = rivals(at)
    at.book.add([known(first)], from)
    const holder = knownAt(at.book.table, endpoint(first))!
    for (let i = 0; holder.newBuckets.size < 2 && i < 1_000; i++) {
      at.book.add([known(first, { time: unixSeconds(NOW + i + 1) })], source(`${40 + (i % 50)}.${i & 255}.1.1`))
    }
    assert.strictEqual(holder.newBuckets.size, 2)
    assert.strictEqual(at.book.add([known(second)], from), 1)
    assert.strictEqual(at.book.table.fresh[slot], knownAt(at.book.table, endpoint(second)))
    assert.strictEqual(holder.newBuckets.size, 1)
    assert.strictEqual(knownAt(at.book.table, endpoint(first)), holder)
    check(at.book)
  })

  it("a rival that waits for ever is given up after forty minutes, and the tried node is dropped for it", () => {
    const { book, clock } = bookAt()
    for (let i = 0; i < 20_000 && book.table.collisions.size === 0; i++) {
      book.add([known(nth(i))], source(`${13 + (i & 63)}.1.1.1`))
      book.good(endpoint(nth(i)))
    }
    const [waiting] = [...book.table.collisions]
    const rival = rivalOf(book.table, waiting!)!
    clock.now += 5 * 3_600_000
    book.good(waiting!)
    clock.now += 40 * 60_000
    book.resolveCollisions()
    assert.isTrue(rival.isTried, "forty minutes are not over")
    clock.now += 1_000
    book.resolveCollisions()
    assert.isTrue(waiting!.isTried)
    assert.isFalse(rival.isTried)
    check(book)
  })

  it("a node that waits for a place and is forgotten meanwhile waits no more", () => {
    const { book, clock } = bookAt()
    const { table } = book
    let at = 0
    for (; at < 20_000 && table.collisions.size === 0; at++) {
      book.add([known(nth(at))], source(`${13 + (at & 63)}.1.1.1`))
      book.good(endpoint(nth(at)))
    }
    const [waiting] = [...table.collisions]
    const slot = slotOf(table, waiting!, false, table.places.fresh(waiting!, waiting!.source))
    assert.strictEqual(table.fresh[slot], waiting)
    clock.now += 31 * DAY * 1_000
    for (let i = at; table.fresh[slot] === waiting && i < at + 200_000; i++) {
      const place = endpoint(nth(i))
      const node = { ...place, key: endpointKey(place) } as KnownNode
      if (slotOf(table, node, false, table.places.fresh(node, waiting!.source)) === slot) {
        book.add([known(nth(i), { time: clock.now / 1_000 })], waiting!.source)
      }
    }
    assert.notStrictEqual(table.fresh[slot], waiting)
    assert.isFalse(table.collisions.has(waiting!))
    assert.strictEqual(table.collisions.size, 0)
    assert.isUndefined(book.chooseRival())
    check(book)
  })

  it("what is not worth keeping makes room: old, never reached, or failing for a week", () => {
    const node: KnownNode = {
      ...endpoint("11.1.1.1:8333"),
      key: "",
      source: source("11.1.1.1"),
      services: 0n,
      time: NOW,
      lastTry: NEVER,
      lastCountedTry: NEVER,
      lastSuccess: NEVER,
      attempts: 0,
      isTried: false,
      newBuckets: new Set(),
      position: 0
    }
    assert.isFalse(isTerrible(node, NOW))
    assert.isTrue(isTerrible({ ...node, time: unixSeconds(NOW - 30 * DAY - 1) }, NOW))
    assert.isTrue(isTerrible({ ...node, time: unixSeconds(NOW + 601) }, NOW))
    assert.isTrue(isTerrible({ ...node, attempts: 3 }, NOW))
    assert.isFalse(isTerrible({ ...node, attempts: 3, lastTry: unixSeconds(NOW - 60) }, NOW), "tried a moment ago")
    assert.isFalse(isTerrible({ ...node, attempts: 10, lastSuccess: unixSeconds(NOW - 7 * DAY) }, NOW))
    assert.isTrue(isTerrible({ ...node, attempts: 10, lastSuccess: unixSeconds(NOW - 7 * DAY - 1) }, NOW))
    assert.isFalse(isTerrible({ ...node, time: unixSeconds(NOW - 30 * DAY) }, NOW))
    assert.isFalse(isTerrible({ ...node, time: unixSeconds(NOW + 600) }, NOW))
    assert.isFalse(isTerrible({ ...node, attempts: 2 }, NOW))
    assert.isTrue(isTerrible({ ...node, attempts: 3, lastTry: unixSeconds(NOW - 61) }, NOW))
    assert.isFalse(isTerrible({ ...node, attempts: 9, lastSuccess: unixSeconds(NOW - 7 * DAY - 1) }, NOW))
    assert.isFalse(isTerrible({ ...node, attempts: 3, lastSuccess: unixSeconds(NOW - 8 * DAY) }, NOW), "it worked once")
  })

  it("is chosen as likely as Bitcoin Core has it: 0.66 for each failure up to eight, 0.01 in the first ten minutes", () => {
    const at = (attempts: number, lastTry: number): number => likelihood({ attempts, lastTry } as KnownNode, NOW)
    assert.strictEqual(at(0, 0), 1)
    assert.approximately(at(1, 0), 0.66, 1e-12)
    assert.approximately(at(8, 0), 0.66 ** 8, 1e-12)
    assert.strictEqual(at(9, 0), at(8, 0))
    assert.strictEqual(at(0, NOW - 599), 0.01)
    assert.strictEqual(at(0, NOW - 600), 1)
  })

  it("failures count once between two successes of any node: a line that is down condemns none", () => {
    const { book, clock } = bookAt()
    book.add([known("11.1.1.1:8333"), known("12.1.1.1:8333")], source("12.1.1.1"))
    const [one, two] = ["11.1.1.1:8333", "12.1.1.1:8333"].map(endpoint)
    for (let i = 0; i < 5; i++) {
      clock.now += 1_000
      book.attempted(one!, true)
    }
    assert.strictEqual(knownAt(book.table, one!)!.attempts, 1)
    book.good(two!)
    clock.now += 1_000
    book.attempted(one!, true)
    assert.strictEqual(knownAt(book.table, one!)!.attempts, 2)
    book.attempted(one!, false)
    assert.strictEqual(knownAt(book.table, one!)!.attempts, 2)
  })

  it("chooses of both parts, of the kinds that are wanted, and none when there is none", () => {
    const { book } = bookAt()
    assert.isUndefined(book.choose({}))
    for (let i = 0; i < 200; i++) book.add([known(nth(i << 8))], source("12.1.1.1"))
    const [first] = book.table.list
    book.good(first!)
    const chosen = Array.from({ length: 400 }, () => book.choose({})!)
    assert.isAtLeast(chosen.filter(({ isTried }) => isTried).length, 100)
    assert.isAtLeast(new Set(chosen).size, 50)
    assert.isTrue(Array.from({ length: 100 }, () => book.choose({ onlyNew: true })!).every(({ isTried }) => !isTried))
    assert.isUndefined(book.choose({ kinds: new Set(["onion"]) }))
    const onion = { network: AddressNetwork.TORV3, bytes: new Uint8Array(32).fill(5) }
    book.add([{ address: onion, port: 8_333, services: 9n, time: NOW }], onion)
    assert.strictEqual(book.choose({ kinds: new Set(["onion"]) })!.address.network, AddressNetwork.TORV3)
  })

  it("CVE-2020-14198: an answer costs what it holds, and holds no more than 23 percent of a thousand", () => {
    const { book } = bookAt()
    for (let i = 0; i < 20_000; i++) book.add([known(nth(i))], source(`${13 + (i & 63)}.1.1.1`))
    const found = book.sample(1_000, 23)
    assert.strictEqual(found.length, Math.min(1_000, Math.floor(book.size() * 0.23)))
    assert.strictEqual(new Set(found).size, found.length)
    check(book)
    const few = bookAt().book
    for (let i = 0; i < 100; i++) few.add([known(nth(i << 8))], source("12.1.1.1"))
    assert.strictEqual(few.sample(1_000, 23).length, Math.floor(few.size() * 0.23))
    assert.strictEqual(few.sample(0, 0).length, few.size())
  })
})

describe("the file of known nodes", () => {
  const filled = () => {
    const { book } = bookAt()
    for (let i = 0; i < 3_000; i++) {
      book.add([known(nth(i * 7))], source(`${13 + (i & 63)}.1.1.1`))
      if (i % 10 === 0) book.good(endpoint(nth(i * 7)))
    }
    return book
  }

  it("gives the same table back", () => {
    const book = filled()
    const text = encodeAddresses(book.table)
    const table = decodeAddresses(text)!
    const again = addressBook({ now: () => unixMilliseconds(NOW * 1_000), random: seededRandom(1) }, table)
    check(again)
    assert.deepStrictEqual([again.size(), table.triedCount], [book.size(), book.table.triedCount])
    const facts = (node: KnownNode) => ({ ...node, newBuckets: [...node.newBuckets].toSorted(), position: 0 })
    const byKey = (a: KnownNode, b: KnownNode) => a.key < b.key ? -1 : 1
    assert.deepStrictEqual(table.list.toSorted(byKey).map(facts), book.table.list.toSorted(byKey).map(facts))
  })

  it("is not believed when it is damaged anywhere", () => {
    const text = encodeAddresses(filled().table)
    const random = seededRandom(11)
    assert.isUndefined(decodeAddresses(""))
    assert.isUndefined(decodeAddresses("null\n{}"))
    assert.isUndefined(decodeAddresses("[1]"))
    assert.isUndefined(decodeAddresses(text.slice(0, text.length / 2)))
    for (let i = 0; i < 40; i++) {
      const at = random.below(text.length - 2)
      const other = text[at] === "0" ? "1" : "0"
      const damaged = decodeAddresses(text.slice(0, at) + other + text.slice(at + 1))
      assert.isUndefined(damaged, `at ${at}`)
    }
  })
})
