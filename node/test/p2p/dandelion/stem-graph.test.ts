import { assert, describe, it } from "@effect/vitest"
import { stemGraph } from "../../../src/p2p/dandelion/stem-graph.ts"
import { stemPool } from "../../../src/p2p/dandelion/stem-pool.ts"
import { seededRandom } from "../../../src/p2p/seeded-random.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"

const at = unixMilliseconds
const EPOCH = 600_000
const PEERS = [1, 2, 3, 4, 5, 6, 7, 8]

describe("the stem graph", () => {
  it("has two edges in an epoch, with as many sources each, and others in later epochs", () => {
    const graph = stemGraph(seededRandom(1), 0)
    const edges = (now: number): ReadonlyArray<number | undefined> =>
      [11, 12, 13, 14].map((source) => graph.route(source, PEERS, at(now)))
    const first = edges(0)
    assert.deepStrictEqual(edges(1), first)
    const ways = [...new Set(first)]
    assert.deepStrictEqual(ways.map((way) => first.filter((to) => to === way).length), [2, 2])
    const seen = new Set<number | undefined>()
    for (let epoch = 0; epoch < 40; epoch++) for (const to of edges(epoch * EPOCH)) seen.add(to)
    assert.sameMembers([...seen], PEERS)
  })

  it("never leads back to the source, and ends where there is no other peer", () => {
    const graph = stemGraph(seededRandom(2), 0)
    for (let epoch = 0; epoch < 50; epoch++) {
      for (const source of PEERS) assert.notStrictEqual(graph.route(source, PEERS, at(epoch * EPOCH)), source)
    }
    assert.isUndefined(stemGraph(seededRandom(2), 0).route(1, [1], at(0)))
    assert.isUndefined(stemGraph(seededRandom(2), 0).route("own", [], at(0)))
  })

  it("replaces a peer that is gone, and keeps the way of the others", () => {
    const graph = stemGraph(seededRandom(3), 0)
    const ways = [11, 12, 13].map((source) => graph.route(source, PEERS, at(0)))
    const gone = ways[0]!
    graph.gone(gone)
    const left = PEERS.filter((peer) => peer !== gone)
    const after = [11, 12, 13].map((source) => graph.route(source, left, at(1)))
    assert.notInclude(after, gone)
    for (const [i, way] of ways.entries()) if (way !== gone) assert.strictEqual(after[i], way)
  })

  it("fluffs what others send in a part of the epochs, and never what is its own", () => {
    const graph = stemGraph(seededRandom(4), 0.1)
    let fluffs = 0
    for (let epoch = 0; epoch < 2_000; epoch++) {
      const now = at(epoch * EPOCH)
      assert.isDefined(graph.route("own", PEERS, now))
      const [one, other] = [graph.route(11, PEERS, now), graph.route(12, PEERS, now)]
      assert.strictEqual(one === undefined, other === undefined)
      if (one === undefined) fluffs++
    }
    assert.isTrue(fluffs > 150 && fluffs < 250, `${fluffs}`)
  })
})

describe("embargoes", () => {
  it("are exponential, end at six times the mean at the latest, and end once", () => {
    const pool = stemPool(seededRandom(5), 10_000)
    for (let i = 0; i < 4_000; i++) assert.isTrue(pool.add(`${i}`, at(0)))
    const soon = pool.expired(at(10_000)).length
    assert.isTrue(soon > 2_400 && soon < 2_650, `${soon}`)
    assert.isAbove(pool.expired(at(59_999)).length, 1_000)
    pool.expired(at(60_000))
    assert.strictEqual(pool.size(), 0)
    assert.isFalse(pool.has("1"))
  })

  it("do not begin beyond what there is room for", () => {
    const pool = stemPool(seededRandom(6), 10_000)
    for (let i = 0; i < 5_000; i++) pool.add(`${i}`, at(0))
    assert.isFalse(pool.add("more", at(0)))
    assert.isTrue(pool.remove("1"))
    assert.isTrue(pool.add("more", at(0)))
  })
})
