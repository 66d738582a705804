import { POST_CHANGE_BUDGET } from "@lockstep/txgraph"
import { assert, describe, it } from "vitest"
import { add, chunksOf, dependency, emptyGraph } from "./graphs.ts"

describe("the mempool's graph", () => {
  it("has no chunk while it is empty", () => {
    const graph = emptyGraph()
    assert.isUndefined(graph.bestChunk())
    assert.isUndefined(graph.worstChunk())
    assert.lengthOf(graph.miningOrder(), 0)
    assert.strictEqual(graph.memoryUsage(), 0)
    assert.isTrue(graph.isOptimal())
  })

  it("mines a parent with the child that pays for it, and before a transaction of lower feerate", () => {
    const graph = emptyGraph()
    const parent = add(graph, 100, 400)
    const other = add(graph, 300, 400)
    const child = add(graph, 900, 400, parent)
    assert.deepStrictEqual([...graph.miningOrder()], [parent, child, other])
    assert.deepStrictEqual(graph.chunkFeerate(parent), { fee: 1_000, size: 800 })
    assert.isBelow(graph.compareMiningOrder(parent, child), 0)
    assert.isAbove(graph.compareMiningOrder(other, child), 0)
    assert.strictEqual(graph.compareMiningOrder(other, other), 0)
  })

  it("breaks ties between chunks by the greatest txid in each, not in what follows", () => {
    const graph = emptyGraph()
    const [a, b] = [add(graph, 10, 400), add(graph, 10, 400)]
    const child = add(graph, 1, 400, a)
    assert.deepStrictEqual([...graph.miningOrder()], [a, b, child])
  })

  it("mines the smaller of two packages first that pay as much as what they both spend", () => {
    const graph = emptyGraph()
    const root = add(graph, 2, 1)
    const [large, small] = [add(graph, 1, 1, root), add(graph, 0, 1, root)]
    const [forLarge, forSmall] = [add(graph, 5, 2, large), add(graph, 4, 1, small)]
    assert.deepStrictEqual(chunksOf(graph, root), [[root], [small, forSmall], [large, forLarge]])
  })

  it("refuses what would make a cluster too large, and does nothing then", () => {
    const graph = emptyGraph({ transactions: 3, size: 1_000 })
    const a = add(graph, 1, 400)
    const b = add(graph, 1, 400)
    const joins = { removals: [], additions: [{ fee: 1, size: 201, parents: [a, b] }] }
    assert.isFalse(graph.fits(joins))
    assert.isUndefined(graph.apply(joins))
    assert.isUndefined(graph.diagrams(joins))
    assert.strictEqual(graph.count(), 2)
    assert.strictEqual(graph.clusterCount([a, b]), 2)
    assert.isFalse(graph.fits({ removals: [], additions: [{ fee: 1, size: 1_001, parents: [] }] }))
    const exact = { removals: [], additions: [{ fee: 1, size: 200, parents: [a, b] }] }
    assert.isTrue(graph.fits(exact))
    const [c] = graph.apply(exact)!
    assert.isFalse(graph.fits({ removals: [], additions: [{ fee: 1, size: 1, parents: [c!] }] }))
  })

  it("adds a package whose members spend each other, with what it replaces gone", () => {
    const graph = emptyGraph()
    const old = add(graph, 100, 400)
    const child = add(graph, 100, 400, old)
    const removals = graph.descendants([old])
    assert.sameMembers([...removals], [old, child])
    const [parent, payer] = graph.apply({
      removals,
      additions: [{ fee: 0, size: 400, parents: [] }, { fee: 500, size: 400, parents: [], newParents: [0] }]
    })!
    assert.deepStrictEqual(chunksOf(graph, payer!), [[parent!, payer!]])
    assert.strictEqual(graph.count(), 2)
  })

  it("counts no parent that the same changes remove, though another addition gets its number", () => {
    const graph = emptyGraph()
    const old = add(graph, 100, 400)
    const changes = {
      removals: [old],
      additions: [{ fee: 1, size: 400, parents: [] }, { fee: 2, size: 400, parents: [old] }]
    }
    assert.isTrue(graph.fits(changes))
    assert.deepStrictEqual(graph.diagrams(changes)?.after, [{ fee: 2, size: 400 }, { fee: 1, size: 400 }])
    assert.strictEqual(graph.clusterCount(graph.apply(changes)!), 2)
  })

  it("answers both diagrams of a replacement and changes nothing", () => {
    const graph = emptyGraph()
    const parent = add(graph, 100, 400)
    const child = add(graph, 900, 400, parent)
    add(graph, 77, 400)
    const order = graph.miningOrder()
    assert.deepStrictEqual(
      graph.diagrams({ removals: [child], additions: [{ fee: 950, size: 300, parents: [parent] }] }),
      { before: [{ fee: 1_000, size: 800 }], after: [{ fee: 1_050, size: 700 }] }
    )
    assert.deepStrictEqual(graph.miningOrder(), order)
  })

  it("splits a cluster when what held it together is confirmed", () => {
    const graph = emptyGraph()
    const parent = add(graph, 900, 400)
    const [a, b] = [add(graph, 10, 400, parent), add(graph, 20, 400, parent)]
    graph.remove([parent])
    assert.strictEqual(graph.clusterCount([a, b]), 2)
    assert.deepStrictEqual([...graph.miningOrder()], [b, a])
    assert.deepStrictEqual(graph.ancestors([a]), [a])
  })

  it("orders a cluster anew when a fee changes, below zero too", () => {
    const graph = emptyGraph()
    const parent = add(graph, 500, 400)
    const child = add(graph, 100, 400, parent)
    assert.deepStrictEqual(chunksOf(graph, child), [[parent], [child]])
    graph.setFee(parent, -400)
    assert.deepStrictEqual(chunksOf(graph, child), [[parent, child]])
    assert.deepStrictEqual(graph.chunkFeerate(child), { fee: -300, size: 800 })
  })

  it("keeps an exact order among fees as large as all the money there is", () => {
    const graph = emptyGraph()
    const size = 300_001
    const less = add(graph, 21e14 - 1, size)
    const more = add(graph, 21e14, size)
    assert.deepStrictEqual([...graph.miningOrder()], [more, less])
    graph.setFee(less, 9e18)
    assert.strictEqual(graph.fee(less), 21e14)
  })

  it("gives the number of a removed transaction to the next one", () => {
    const graph = emptyGraph()
    const first = add(graph, 1, 400)
    const second = add(graph, 2, 400)
    graph.remove([first])
    assert.strictEqual(add(graph, 3, 400, second), first)
    assert.deepStrictEqual(chunksOf(graph, second), [[second, first]])
  })

  it("counts memory as Bitcoin Core does", () => {
    const graph = emptyGraph()
    const parent = add(graph, 1, 400)
    graph.work(POST_CHANGE_BUDGET)
    assert.strictEqual(graph.memoryUsage(), 80 + 64 + 72)
    add(graph, 2, 400, parent)
    // Not ordered yet: no chunk. Two of 8 bytes and one of 64 as the allocator takes them, and 136.
    assert.strictEqual(graph.memoryUsage(), 160 + 32 + 32 + 80 + 136)
    graph.work(POST_CHANGE_BUDGET)
    assert.strictEqual(graph.memoryUsage(), 160 + 64 + 32 + 32 + 80 + 136)
  })
})

describe("connecting transactions after a reorganization", () => {
  it("adds dependencies to transactions that were there before their parent", () => {
    const graph = emptyGraph()
    const [a, b] = [add(graph, 900, 400), add(graph, 10, 400)]
    const parent = add(graph, 100, 400)
    assert.deepStrictEqual(graph.connect([dependency(parent, a), dependency(parent, b), dependency(a, b)]), [])
    assert.deepStrictEqual(chunksOf(graph, b), [[parent, a], [b]])
    assert.sameMembers([...graph.ancestors([b])], [parent, a, b])
  })

  it("keeps the best chunks where a cluster becomes too large, and drops what waits for the rest", () => {
    const graph = emptyGraph({ transactions: 3, size: 10_000 })
    const [poor, rich] = [add(graph, 10, 400), add(graph, 900, 400)]
    const poorChild = add(graph, 5, 400, poor)
    const parent = add(graph, 100, 400)
    assert.deepStrictEqual(graph.connect([dependency(parent, rich), dependency(parent, poor)]), [poorChild])
    assert.strictEqual(graph.clusterCount([parent, rich, poor]), 1)
  })

  it("keeps the smaller of two chunks of one feerate", () => {
    const graph = emptyGraph({ transactions: 2, size: 10_000 })
    const [large, small] = [add(graph, 20, 800), add(graph, 10, 400)]
    const parent = add(graph, 100, 400)
    assert.deepStrictEqual(graph.connect([dependency(parent, large), dependency(parent, small)]), [large])
  })
})

describe("ordering within a budget", () => {
  /** Parents that each of several children spends some of: no order is obvious. */
  const tangled = () => {
    const graph = emptyGraph()
    const parents = Array.from({ length: 30 }, (_, i) => add(graph, (i * 7) % 20, 400 + ((i * 13) % 17)))
    for (let i = 0; i < 30; i++) {
      add(graph, 40 + ((i * 11) % 50), 400, ...parents.filter((_, k) => (k * 5 + i * 3) % 9 === 0 || k === i))
    }
    const last = add(graph, 1, 400, ...parents)
    return { graph, last }
  }

  it("is topological however small the budget is, and becomes optimal with more", () => {
    const { graph, last } = tangled()
    graph.work(1)
    assert.isFalse(graph.isOptimal())
    const before = [...graph.miningOrder()]
    for (const tx of before) {
      for (const ancestor of graph.ancestors([tx])) assert.isAtMost(before.indexOf(ancestor), before.indexOf(tx))
    }
    graph.work(POST_CHANGE_BUDGET)
    assert.isTrue(graph.isOptimal())
    assert.deepStrictEqual(chunksOf(graph, last), chunksOf(tangled().graph, last))
  })

  it("is optimal for a transaction by itself, whatever its fee becomes, and for two when they are ordered", () => {
    const graph = emptyGraph()
    const parent = add(graph, 10, 400)
    assert.isTrue(graph.isOptimal())
    graph.setFee(parent, 20)
    assert.isTrue(graph.isOptimal())
    const child = add(graph, 30, 400, parent)
    assert.isFalse(graph.isOptimal())
    graph.work(POST_CHANGE_BUDGET)
    assert.isTrue(graph.isOptimal())
    graph.setFee(child, 5)
    assert.isFalse(graph.isOptimal())
  })
})
