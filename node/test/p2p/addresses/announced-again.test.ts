import { assert, describe, it } from "@effect/vitest"
import { addAddress, emptyTable, knownAt, makeTried } from "../../../src/p2p/addresses/table/address-table.ts"
import { addressBook } from "../../../src/p2p/addresses/address-book.ts"
import { connectedAddresses } from "../../../src/p2p/addresses/connected-addresses.ts"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { unixMilliseconds, unixSeconds } from "../../../src/quantities.ts"
import { scriptedPeer } from "../sync/chain-model.ts"
import { endpoint } from "../transport/transport-suite.ts"

const NOW = unixSeconds(1_700_193_573)
const HOUR = 3_600
const DAY = 24 * HOUR
const AT = endpoint("11.1.1.1:8333")

const sourceOf = (i: number) => endpoint(`${20 + i % 200}.${i % 256}.1.1:1`).address

/** A table with one address in it; draws are recorded, and each is `drawn`. */
const place = (time: number = NOW - 10 * DAY) => {
  const draws: Array<number> = []
  const chance = { drawn: 0 }
  const random = { ...seededRandom(1), below: (bound: number) => (draws.push(bound), chance.drawn) }
  const table = emptyTable(new Uint8Array(32))
  const observed: Array<string> = []
  table.observers.add({
    found: ({ key }) => void observed.push(`found ${key}`),
    forgotten: ({ key }) => void observed.push(`forgotten ${key}`)
  })
  const announce = (
    at: number,
    more: { readonly from?: number; readonly penalty?: number; readonly services?: bigint } = {}
  ) =>
    addAddress(table, { ...AT, services: more.services ?? 1n, time: at }, sourceOf(more.from ?? 0), {
      now: NOW,
      penalty: more.penalty ?? 0,
      random
    })
  announce(time)
  draws.length = 0
  return { announce, chance, draws, node: knownAt(table, AT)!, table, observed }
}

describe("an address that is announced again", () => {
  it("counts as seen at the new time when that is an hour later, of one seen within a day", () => {
    for (const [before, after] of [[HOUR, HOUR], [HOUR + 1, 0]] as const) {
      const { announce, node } = place(NOW - before)
      announce(NOW)
      assert.strictEqual(NOW - node.time, after)
    }
    const { announce, node } = place(NOW - DAY + 1 - HOUR)
    announce(NOW - DAY + 1)
    assert.strictEqual(NOW - node.time, DAY - 1 + HOUR)
  })

  it("counts as seen at the new time when that is a day later, of one seen before", () => {
    for (const [before, after] of [[2 * DAY, 2 * DAY], [2 * DAY + 1, DAY]] as const) {
      const { announce, node } = place(NOW - before)
      announce(NOW - DAY)
      assert.strictEqual(NOW - node.time, after)
    }
  })

  it("counts as older by the penalty, which the new time has to be later by as well, and never as before 1970", () => {
    for (const [before, after] of [[2 * HOUR, 2 * HOUR], [2 * HOUR + 1, HOUR]] as const) {
      const { announce, node } = place(NOW - before)
      announce(NOW, { penalty: HOUR })
      assert.strictEqual(NOW - node.time, after)
    }
    const { table } = place()
    addAddress(table, { ...endpoint("12.1.1.1:1"), services: 1n, time: 5 }, sourceOf(3), {
      now: NOW,
      penalty: HOUR,
      random: seededRandom(1)
    })
    assert.strictEqual(knownAt(table, endpoint("12.1.1.1:1"))!.time, 0)
  })

  it("offers what any announcement said", () => {
    const { announce, node } = place()
    announce(NOW - 20 * DAY, { services: 8n })
    assert.strictEqual(node.services, 9n)
  })

  it("gets another new bucket by a draw: one of 2, then of 4, of 8, and so on, up to eight buckets", () => {
    const { announce, chance, draws, node } = place()
    const buckets: Array<number> = []
    for (let i = 1; i < 400 && node.newBuckets.size < 8; i++) {
      announce(node.time + i, { from: i })
      if (draws.at(-1) !== buckets.at(-1)) buckets.push(draws.at(-1)!)
    }
    assert.deepStrictEqual(buckets, [2, 4, 8, 16, 32, 64, 128])
    draws.length = 0
    assert.isFalse(announce(NOW, { from: 401 }))
    assert.deepStrictEqual(draws, [], "it is in eight")
    const other = place()
    other.chance.drawn = 1
    for (let i = 1; i < 50; i++) assert.isFalse(other.announce(other.node.time + i, { from: i }))
    assert.strictEqual(other.node.newBuckets.size, 1)
    assert.strictEqual(chance.drawn, 0)
  })

  it("gets no other bucket unless its time is newer, nor when it is tried", () => {
    const { announce, draws, node, table } = place()
    assert.isFalse(announce(node.time, { from: 1 }))
    makeTried(table, node)
    assert.isFalse(announce(NOW, { from: 1 }))
    assert.deepStrictEqual(draws, [])
  })

  it("gets no other bucket where its time becomes that of the announcement, which a penalty prevents", () => {
    const { announce, draws, node } = place(NOW - 12 * HOUR)
    assert.isFalse(announce(node.time + 2 * HOUR, { from: 1 }))
    assert.deepStrictEqual([NOW - node.time, draws], [10 * HOUR, []])
    announce(node.time + 4 * HOUR, { from: 1, penalty: HOUR })
    assert.deepStrictEqual([NOW - node.time, draws], [7 * HOUR, [2]])
  })

  it("is reported once to those that follow the table", () => {
    const { announce, node, observed } = place()
    for (let i = 1; i < 50; i++) announce(node.time + i, { from: i })
    assert.deepStrictEqual(observed, [`found ${node.key}`])
  })
})

describe("what addrman learns of connections", () => {
  /** What becomes of an address that a peer of this kind has, which said hello, was ready, or neither, and then went. */
  const learned = (kind: PeerKind, state: "dialed" | "greeted" | "ready") => {
    const calls: Array<string> = []
    const note = (what: string) => () => void calls.push(what)
    const book = addressBook({ now: () => unixMilliseconds(NOW * 1_000), random: seededRandom(1) })
    const part = connectedAddresses({ ...book, good: note("good"), seen: note("seen") })
    const peer = Object.assign(scriptedPeer(1, kind), { isReady: state === "ready" })
    if (state === "dialed") peer.hello = undefined
    if (state !== "dialed" && kind !== "feeler") part.greeted?.(peer)
    part.gone?.(peer)
    return calls
  }

  it("outbound peers are good once they said hello, and were seen until they went if they were ready", () => {
    for (const kind of ["outbound-full-relay", "manual", "addr-fetch"] as const) {
      assert.deepStrictEqual(learned(kind, "ready"), ["good", "seen"])
      assert.deepStrictEqual(learned(kind, "greeted"), ["good"])
      assert.deepStrictEqual(learned(kind, "dialed"), [])
    }
  })

  it("block-relay-only peers are good, but not seen: that would reveal them", () => {
    assert.deepStrictEqual(learned("block-relay-only", "ready"), ["good"])
  })

  it("feelers are good when they said hello, and no address when they did not", () => {
    assert.deepStrictEqual(learned("feeler", "greeted"), ["good"])
    assert.deepStrictEqual(learned("feeler", "dialed"), [])
  })

  it("nothing is learned of addresses that inbound peers connect from", () => {
    assert.deepStrictEqual(learned("inbound", "ready"), [])
  })

  it("a node that was connected to counts as seen then, when the last time is more than 20 minutes ago", () => {
    for (const [before, after] of [[1_200, 1_200], [1_201, 0]] as const) {
      const book = addressBook({ now: () => unixMilliseconds(NOW * 1_000), random: seededRandom(1) })
      book.add([{ ...AT, services: 1n, time: NOW - before }], sourceOf(1))
      book.seen(AT)
      assert.strictEqual(NOW - book.table.list[0]!.time, after)
    }
  })
})
