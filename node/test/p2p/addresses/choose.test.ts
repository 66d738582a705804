import { assert, describe, it } from "@effect/vitest"
import { emptyTable, addAddress, knownAt } from "../../../src/p2p/addresses/table/address-table.ts"
import { chooseAddress, markAttempt, markGood, sampleAddresses } from "../../../src/p2p/addresses/table/choose.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { unixSeconds } from "../../../src/quantities.ts"

const NOW = unixSeconds(1_700_193_573)

const later = (seconds: number) => unixSeconds(NOW + seconds)

/** A table with so many nodes that were never connected to, each in a network group of its own. */
const tableOf = (count: number) => {
  const random = seededRandom(3)
  const table = emptyTable(random.bytes(32))
  const places = Array.from({ length: count }, (_, i) => endpoint(`${11 + (i >> 8)}.${i & 255}.1.1:8333`))
  for (const [i, place] of places.entries()) {
    addAddress(table, { ...place, services: 9n, time: NOW }, endpoint(`${40 + (i & 63)}.1.1.1:1`).address, {
      now: NOW,
      penalty: 0,
      random
    })
  }
  const nodes = places.flatMap((place) => knownAt(table, place) ?? [])
  return { table, random, nodes }
}

describe("a node that is chosen to connect to", () => {
  it("is of the new and of the tried about as often, whatever their numbers", () => {
    const { random, nodes, table } = tableOf(400)
    for (const node of nodes.slice(0, 20)) markGood(table, node, later(-100_000), true)
    const tried =
      Array.from({ length: 2_000 }, () => chooseAddress(table, {}, NOW, random)!).filter(({ isTried }) => isTried)
        .length
    assert.isTrue(tried > 850 && tried < 1_150, `${tried} of 2,000`)
    assert.isTrue(
      Array.from({ length: 200 }, () => chooseAddress(table, { onlyNew: true }, NOW, random)!).every(({ isTried }) =>
        !isTried
      )
    )
  })

  it("is of the tried when there is no new one, and none when only new ones would do", () => {
    const { random, nodes, table } = tableOf(1)
    markGood(table, nodes[0]!, NOW, true)
    assert.strictEqual(chooseAddress(table, {}, NOW, random), nodes[0])
    assert.isUndefined(chooseAddress(table, { onlyNew: true }, NOW, random))
    assert.isUndefined(chooseAddress(table, { kinds: new Set(["onion"]) }, NOW, random))
  })

  it("that failed is chosen more seldom, by 0.66 for each failure", () => {
    const { random, nodes, table } = tableOf(60)
    for (const node of nodes.slice(0, 30)) node.attempts = 2
    const chosen = Array.from({ length: 6_000 }, () => chooseAddress(table, {}, NOW, random)!)
    const failed = chosen.filter(({ attempts }) => attempts > 0).length / chosen.length
    // 0.4356 against 1, were there no growing factor.
    assert.isTrue(failed > 0.25 && failed < 0.4, String(failed))
  })

  it("is chosen even when all were tried a moment ago", () => {
    const { random, nodes, table } = tableOf(5)
    for (const node of nodes) node.lastTry = NOW
    assert.isDefined(chooseAddress(table, {}, NOW, random))
  })
})

describe("an attempt to connect", () => {
  it("counts as a failure once after the last success of any node", () => {
    const { nodes: [one, other], table } = tableOf(2)
    markAttempt(table, one!, NOW, true)
    assert.deepStrictEqual([one!.attempts, one!.lastTry, one!.lastCountedTry], [1, NOW, NOW])
    markAttempt(table, one!, later(5), true)
    assert.deepStrictEqual([one!.attempts, one!.lastTry, one!.lastCountedTry], [1, later(5), NOW])
    markGood(table, other!, later(10), true)
    markAttempt(table, one!, later(11), false)
    assert.deepStrictEqual([one!.attempts, one!.lastTry], [1, later(11)])
    markAttempt(table, one!, later(12), true)
    assert.strictEqual(one!.attempts, 2)
  })

  it("that succeeds clears the failures, moves the node to the tried, and leaves a tried one there", () => {
    const { nodes: [one], table } = tableOf(1)
    markAttempt(table, one!, NOW, true)
    markGood(table, one!, later(3), true)
    assert.deepStrictEqual([one!.attempts, one!.lastSuccess, one!.lastTry, one!.isTried], [0, later(3), later(3), true])
    assert.deepStrictEqual([table.lastGood, table.triedCount, table.freshCount], [later(3), 1, 0])
    markGood(table, one!, later(9), true)
    assert.deepStrictEqual([one!.lastSuccess, table.triedCount], [later(9), 1])
  })
})

describe("a sample of the known nodes", () => {
  it("holds at most as many as asked for, and at most the share, 0 census for no bound", () => {
    const { random, table } = tableOf(400)
    const { length } = table.list
    const count = (most: number, share?: number): number =>
      sampleAddresses(table, { most, ...share === undefined ? {} : { share } }, NOW, random).length
    assert.deepStrictEqual([count(10, 23), count(1_000, 23), count(0, 23), count(0), count(7)], [
      10,
      Math.floor(length * 0.23),
      Math.floor(length * 0.23),
      length,
      7
    ])
    assert.strictEqual(count(0, 0), length)
  })

  it("leaves terrible nodes out unless all are asked for, and has nodes of the kinds that are asked for", () => {
    const { random, nodes, table } = tableOf(40)
    for (const node of nodes.slice(0, 10)) node.attempts = 3
    assert.strictEqual(sampleAddresses(table, { most: 0 }, NOW, random).length, 30)
    assert.strictEqual(sampleAddresses(table, { most: 0, unfiltered: true }, NOW, random).length, 40)
    assert.strictEqual(sampleAddresses(table, { most: 0, kinds: new Set(["ipv6"]) }, NOW, random).length, 0)
    assert.strictEqual(sampleAddresses(table, { most: 0, kinds: new Set(["ipv4", "ipv6"]) }, NOW, random).length, 30)
  })

  it("is another each time, and every node has its turn", () => {
    const { random, table } = tableOf(100)
    const seen = new Map<string, number>()
    for (let i = 0; i < 1_000; i++) {
      for (const { key } of sampleAddresses(table, { most: 10 }, NOW, random)) seen.set(key, (seen.get(key) ?? 0) + 1)
    }
    assert.strictEqual(seen.size, 100)
    for (const times of seen.values()) assert.isTrue(times > 50 && times < 160, String(times))
    table.list.forEach((node, i) => assert.strictEqual(node.position, i))
  })
})
