import { assert, describe, it } from "@effect/vitest"
import { stemGraph } from "../../../src/p2p/relay/dandelion/stem-graph.ts"
import { stemPool } from "../../../src/p2p/relay/dandelion/stem-pool.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
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

describe("an epoch", () => {
  /** Chance that a test decides on: what `below` answers for each bound. */
  const drawn = (answers: Readonly<Record<number, number>>) => {
    const bounds: Array<number> = []
    const random = {
      ...seededRandom(1),
      below: (bound: number) => {
        bounds.push(bound)
        return answers[bound] ?? 0
      }
    }
    return { epochs: () => bounds.filter((bound) => bound === 1_000_000).length, random }
  }

  it("is ten minutes long, the first one shorter by chance", () => {
    const { epochs, random } = drawn({ 600_000: 99 })
    const graph = stemGraph(random, 0)
    const begun = [1_000, 1_099, 1_100, 601_099, 601_100, 1_201_099, 1_201_100].map((now) => {
      graph.route("own", PEERS, at(now))
      return epochs()
    })
    assert.deepStrictEqual(begun, [1, 1, 2, 2, 3, 3, 4])
  })

  it("fluffs what others send below the probability", () => {
    for (const [draw, isFluffed] of [[99_999, true], [100_000, false]] as const) {
      const graph = stemGraph(drawn({ 1_000_000: draw }).random, 0.1)
      assert.strictEqual(graph.route(11, PEERS, at(0)) === undefined, isFluffed)
    }
  })

  it("gives a source either of its destinations by chance, also where both are the only peers", () => {
    const chosen = stemGraph(drawn({ 2: 1 }).random, 0)
    assert.deepStrictEqual([11, 12, 13, 14].map((source) => chosen.route(source, [1, 2, 3], at(0))), [3, 1, 3, 1])
    for (const source of ["own", 11] as const) {
      const graph = stemGraph(seededRandom(7), 0)
      const ways = Array.from({ length: 400 }, (_, epoch) => graph.route(source, [1, 2], at(epoch * EPOCH)))
      const first = ways.filter((way) => way === 1).length
      assert.isTrue(first > 150 && first < 250, `${source}: ${first}`)
      assert.strictEqual(ways.filter((way) => way === 2).length, 400 - first)
    }
  })

  it("leads a source on both ways over the epochs, whatever the order in which the destinations were drawn", () => {
    // Destinations are always drawn in the order of the peers; the choice among them is left to chance.
    const chance = seededRandom(8)
    let draws = 0
    const random = { ...chance, below: (bound: number) => bound === 2 && ++draws % 2 === 0 ? chance.below(2) : 0 }
    const graph = stemGraph(random, 0)
    const ways = Array.from({ length: 200 }, (_, epoch) => graph.route(11, [1, 2], at(epoch * EPOCH)))
    assert.sameMembers([...new Set(ways)], [1, 2])
  })

  it("gives a source the destination that fewest others use; one that is gone uses none", () => {
    const graph = stemGraph(drawn({}).random, 0)
    const route = (source: number) => graph.route(source, [1, 2, 3], at(0))
    assert.deepStrictEqual([11, 12, 13, 14].map(route), [1, 2, 1, 2])
    graph.gone(12)
    graph.gone(14)
    assert.deepStrictEqual([15, 16].map(route), [2, 2])
    // A destination that is gone is replaced, for those that used it.
    graph.gone(1)
    assert.deepStrictEqual([graph.route(11, [2, 3], at(0)), graph.route(15, [2, 3], at(0))], [3, 2])
  })
})

describe("an embargo", () => {
  const poolWith = (wait: number) => stemPool({ ...seededRandom(1), exponential: () => wait }, 10_000)

  it("ends at its time, and at six times the mean where chance says later", () => {
    for (const [wait, end] of [[7_000, 7_100], [60_000, 60_100], [60_001, 60_100]] as const) {
      const pool = poolWith(wait)
      pool.add("a", at(100))
      assert.deepStrictEqual([pool.expired(at(end - 1)), pool.has("a")], [[], true])
      assert.deepStrictEqual([pool.expired(at(end)), pool.has("a")], [["a"], false])
    }
  })

  it("is not longer for one that comes again", () => {
    const pool = poolWith(7_000)
    assert.isTrue(pool.add("a", at(0)))
    assert.isTrue(pool.add("a", at(6_000)))
    assert.deepStrictEqual([pool.size(), pool.expired(at(7_000)), pool.remove("a")], [1, ["a"], false])
  })
})
