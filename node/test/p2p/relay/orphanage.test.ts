import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import { coreTexts } from "../../bitcoind/core-texts.ts"
import { orphanage, type Orphanage } from "../../../src/p2p/relay/orphanage/orphanage.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { idOf, madeOrphan, outpointOf, PARENT } from "./made-orphan.ts"

const empty = (seed = 1): Orphanage => orphanage(seededRandom(seed))

const wtxid = (value: number): Uint8Array => idOf(value, 2)

/** Which of the orphans `first` to `last` are kept. */
const retain = (kept: Orphanage, first: number, last: number): ReadonlyArray<number> =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i).filter((value) => kept.has(wtxid(value)))

const announcersOf = (kept: Orphanage, value: number): ReadonlyArray<number> =>
  [...kept.get(wtxid(value))?.announcers ?? []].toSorted()

const count = (kept: Orphanage): number => kept.sizes().orphans

/** The number that an orphan was made with. */
const valueOf = ({ wtxid: id }: { readonly wtxid: Uint8Array }): number => new DataView(id.buffer).getUint32(0)

describe("the limits of the orphanage", () => {
  it("3,000 announcements: beyond, the one who holds more than a share loses its oldest, and a newcomer nothing", () => {
    const kept = empty()
    for (let i = 1; i <= 3_000; i++) kept.add(madeOrphan(i), 1)
    assert.strictEqual(count(kept), 3_000)
    kept.add(madeOrphan(10_000), 2)
    assert.strictEqual(count(kept), 3_000)
    assert.isTrue(kept.has(wtxid(10_000)))
    assert.deepStrictEqual(retain(kept, 1, 3), [2, 3])
  })

  it("every ten inputs count once more for each announcement, and once in all", () => {
    const kept = empty()
    kept.add(madeOrphan(1, { inputs: 9 }), 1)
    assert.strictEqual(kept.sizes().latency, 1)
    kept.add(madeOrphan(2, { inputs: 39 }), 1)
    assert.strictEqual(kept.sizes().latency, 1 + 4)
    kept.add(madeOrphan(2, { inputs: 39 }), 2)
    assert.deepStrictEqual(kept.sizes(), { orphans: 2, announcements: 3, latency: 3 + 3, weight: 200 })
    kept.remove(wtxid(2))
    assert.deepStrictEqual(kept.sizes(), { orphans: 1, announcements: 1, latency: 1, weight: 100 })
  })

  it("404,000 weight units for every peer that holds some, shared by all of them", () => {
    const kept = empty()
    kept.add(madeOrphan(1, { weight: 4_000 }), 1)
    kept.add(madeOrphan(2, { weight: 400_000 }), 1)
    assert.deepStrictEqual(retain(kept, 1, 2), [1, 2])
    kept.add(madeOrphan(3, { weight: 1 }), 1)
    assert.deepStrictEqual(retain(kept, 1, 3), [2, 3], "the oldest makes way")
    kept.add(madeOrphan(4, { weight: 400_000 }), 1)
    assert.deepStrictEqual(retain(kept, 1, 4), [3, 4])
    kept.add(madeOrphan(5, { weight: 10 }), 2)
    kept.add(madeOrphan(6, { weight: 400_000 }), 1)
    assert.deepStrictEqual(retain(kept, 3, 6), [3, 4, 5, 6], "the second peer does not use what it may")
    kept.gone(2)
    assert.strictEqual(kept.sizes().weight, 800_001, "only what is added is a reason to evict")
    kept.add(madeOrphan(7, { weight: 400_001 }), 3)
    assert.isFalse(kept.has(wtxid(7)), "heavier than what is relayed")
  })

  it("an orphan that several announced is evicted from the worst of them, and stays with the others", () => {
    const kept = empty()
    kept.add(madeOrphan(1), 1)
    kept.add(madeOrphan(1), 2)
    for (let i = 2; i <= 2_999; i++) kept.add(madeOrphan(i), 2)
    assert.deepStrictEqual(announcersOf(kept, 1), [1, 2])
    kept.add(madeOrphan(3_000), 2)
    assert.deepStrictEqual(announcersOf(kept, 1), [1])
    kept.gone(1)
    assert.isFalse(kept.has(wtxid(1)))
  })

  it("the worse share counts: of weight where that is greater; of equal ones the one of latency; then the later peer", () => {
    const kept = empty()
    // Two peers may have 1,500 and 404,000 each: peer 1 has twice its weight, peer 2 less than twice its latency.
    kept.add(madeOrphan(9, { weight: 1 }), 2)
    kept.add(madeOrphan(1, { weight: 400_000 }), 1)
    kept.add(madeOrphan(2, { weight: 400_000 }), 1)
    for (let i = 10; i < 2_907; i++) kept.add(madeOrphan(i, { weight: 1 }), 2)
    assert.strictEqual(count(kept), 2_900)
    kept.add(madeOrphan(3, { weight: 7_000 }), 2)
    assert.deepStrictEqual(retain(kept, 1, 3), [2, 3])

    const equal = empty()
    for (let i = 0; i < 1_500; i++) {
      equal.add(madeOrphan(i), 1)
      equal.add(madeOrphan(5_000 + i), 2)
    }
    equal.add(madeOrphan(10_000), 3)
    assert.deepStrictEqual([retain(equal, 0, 0), retain(equal, 5_000, 5_000)], [[0], []])
  })

  it("what is to be tried again is evicted last", () => {
    const kept = empty()
    kept.add(madeOrphan(1, { spends: [outpointOf(idOf(50, 1))] }), 1)
    kept.assignChildren(madeOrphan(50))
    for (let i = 2; i <= 3_100; i++) kept.add(madeOrphan(i), 1)
    assert.deepStrictEqual(retain(kept, 1, 102), [1, 102])
  })

  it("the same orphan from the same peer counts once", () => {
    const kept = empty()
    for (let i = 0; i < 5_000; i++) kept.add(madeOrphan(1), 1)
    assert.strictEqual(kept.sizes().announcements, 1)
  })
})

describe("orphans are tried again", () => {
  const [first, second] = [idOf(50, 1), idOf(51, 1)]

  it("when an output they spend appears, on the turn of one announcer, oldest first, once", () => {
    const kept = empty()
    kept.add(madeOrphan(3, { spends: [outpointOf(first, 2)] }), 1)
    kept.add(madeOrphan(1, { spends: [outpointOf(first, 0), outpointOf(first, 1)] }), 1)
    kept.add(madeOrphan(2, { spends: [outpointOf(first, 3)] }), 1)
    kept.add(madeOrphan(4, { spends: [outpointOf(second)] }), 2)
    kept.assignChildren(madeOrphan(50))
    kept.assignChildren(madeOrphan(50))
    assert.deepStrictEqual(kept.peersWithWork(), [1])
    assert.isUndefined(kept.nextToTry(2))
    const tried = [kept.nextToTry(1), kept.nextToTry(1), kept.nextToTry(1)]
    assert.deepStrictEqual(tried.map((each) => each && valueOf(each)), [3, 1, undefined], "it has three outputs")
    assert.deepStrictEqual(kept.peersWithWork(), [])
    assert.isTrue(kept.has(wtxid(3)), "until it is judged")
    kept.assignChildren(madeOrphan(50))
    assert.deepStrictEqual(kept.peersWithWork(), [1], "another time")
  })

  it("on the turn of any of its announcers; not when that one leaves before", () => {
    const chosen = new Set<number>()
    for (let seed = 0; seed < 40; seed++) {
      const kept = empty(seed)
      for (const peer of [7, 8, 9]) kept.add(madeOrphan(1, { spends: [outpointOf(first)] }), peer)
      kept.assignChildren(madeOrphan(50))
      const [peer] = kept.peersWithWork()
      chosen.add(peer!)
      kept.gone(peer!)
      assert.deepStrictEqual([kept.peersWithWork(), announcersOf(kept, 1).length], [[], 2])
    }
    assert.deepStrictEqual([...chosen].toSorted(), [7, 8, 9])
  })
})

describe("orphans are found", () => {
  it("as children of a parent from one peer: to be tried again first, the newest first of each group", () => {
    const kept = empty()
    const marking = idOf(60, 1)
    for (const value of [1, 2, 3, 4]) {
      const spends = value % 2 === 0 ? [outpointOf(PARENT), outpointOf(marking)] : [outpointOf(PARENT, value)]
      kept.add(madeOrphan(value, { spends }), 1)
    }
    kept.add(madeOrphan(5), 2)
    kept.add(madeOrphan(6, { spends: [outpointOf(marking, 9)] }), 1)
    kept.assignChildren(madeOrphan(60))
    assert.deepStrictEqual(kept.childrenFrom(PARENT, 1).map(valueOf), [4, 2, 3, 1])
    assert.deepStrictEqual(kept.childrenFrom(PARENT, 2).map(valueOf), [5])
    assert.deepStrictEqual(kept.childrenFrom(PARENT, 3), [])
  })

  it("all of them in raw order of their wtxids", () => {
    const kept = empty()
    for (const value of [300, 2, 70_000, 1]) kept.add(madeOrphan(value), value)
    assert.deepStrictEqual(kept.all().map(({ transaction }) => valueOf(transaction)), [1, 2, 300, 70_000])
  })

  it("by what a block spends, and are gone then", () => {
    const kept = empty()
    kept.removeSpenders(outpointOf(PARENT))
    kept.add(madeOrphan(1, { spends: [outpointOf(PARENT, 1), outpointOf(PARENT, 2)] }), 1)
    kept.add(madeOrphan(2, { spends: [outpointOf(PARENT, 2)] }), 1)
    kept.add(madeOrphan(3, { spends: [outpointOf(PARENT, 3)] }), 2)
    kept.removeSpenders(concatBytes([outpointOf(PARENT, 7), outpointOf(PARENT, 2)]))
    assert.deepStrictEqual(retain(kept, 1, 3), [3])
    assert.deepStrictEqual(kept.sizes(), { orphans: 1, announcements: 1, latency: 1, weight: 100 })
  })
})

describe("the lines of the orphanage", () => {
  const noting = () => {
    const lines: Array<string> = []
    const kept = orphanage(seededRandom(1), (happening) => void lines.push(...coreTexts(happening)))
    return { kept, lines }
  }
  const shown = (value: number): string => {
    const [txid, id] = [1, 2].map((kind) => Buffer.from(idOf(value, kind)).reverse().toString("hex"))
    return `${txid} (wtxid=${id})`
  }

  it("name what is stored, announced again, put on a turn and removed, as in Bitcoin Core", () => {
    const { kept, lines } = noting()
    kept.add(madeOrphan(1, { spends: [outpointOf(PARENT), outpointOf(PARENT, 1)] }), 4)
    kept.add(madeOrphan(1), 5)
    kept.add(madeOrphan(1), 5)
    kept.assignToAny(wtxid(1))
    kept.remove(wtxid(1))
    kept.remove(wtxid(1))
    const turn = /peer (\d)/.exec(lines[2]!)![1]
    assert.deepStrictEqual(lines, [
      `stored orphan tx ${shown(1)}, weight: 100 (mapsz 1 outsz 2)`,
      `added peer=5 as announcer of orphan tx ${shown(1)}`,
      `added ${shown(1)} to peer ${turn} workset`,
      `removed orphan tx ${shown(1)} (2 announcements)`
    ])
  })

  it("name what is too large, what goes with a peer or a block, and what has to make room", () => {
    const { kept, lines } = noting()
    kept.add(madeOrphan(1, { weight: 400_001 }), 1)
    kept.add(madeOrphan(2), 1)
    kept.gone(1)
    kept.gone(1)
    kept.add(madeOrphan(3), 2)
    assert.strictEqual(kept.removeSpenders(outpointOf(PARENT)), 1)
    kept.add(madeOrphan(4, { weight: 400_000 }), 1)
    kept.add(madeOrphan(5, { weight: 400_000 }), 1)
    const [txid, id] = [1, 2].map((kind) => Buffer.from(idOf(1, kind)).reverse().toString("hex"))
    assert.deepStrictEqual(lines.filter((line) => !line.startsWith("stored ")), [
      `ignoring large orphan tx (size: 400001, txid: ${txid}, wtxid: ${id})`,
      "Erased 1 orphan transaction(s) from peer=1",
      `removed orphan tx ${shown(3)} (1 announcements)`,
      "orphanage overflow, removed 1 tx (1 announcements)"
    ])
  })
})
