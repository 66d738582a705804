import { compareDiagrams, compareFeerates, type FeeFrac, txGraph } from "@lockstep/txgraph"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { check } from "../check.ts"
import { players } from "./players.ts"
import { playSteps, STEP_KINDS } from "./steps.ts"
import { bestMiningOrder } from "../oracles/tx-graph.ts"
import { allOrders, bestOrder, chunkOf, chunksOf, diagramOrder, type NaiveEntry } from "../oracles/linearization.ts"

const few = (maximum: number): fc.Arbitrary<ReadonlyArray<number>> =>
  fc.array(fc.nat(maximum), { minLength: 3, maxLength: 3 })

const steps = (maxLength: number, fee: number, size: number) =>
  fc.array(
    fc.record({
      kind: fc.nat(STEP_KINDS - 1),
      picks: fc.array(fc.nat(12), { maxLength: 5 }),
      fees: few(fee),
      sizes: few(size).map((sizes) => sizes.map((each) => each + 1))
    }),
    { maxLength }
  )

/** A cluster or several, as the naive graph has them: each transaction spends some of those before it. */
const entries = (maximum: number): fc.Arbitrary<ReadonlyArray<NaiveEntry>> =>
  fc.array(
    fc.record({ fee: fc.integer({ min: -1, max: 6 }), size: fc.integer({ min: 1, max: 3 }), spends: fc.nat(0xffff) }),
    {
      minLength: 1,
      maxLength: maximum
    }
  ).map((list) => {
    const made: Array<NaiveEntry> = []
    for (const [key, { fee, size, spends }] of list.entries()) {
      const parents = made.filter((_, i) => (spends >> (2 * i)) % 4 === 1)
      const ancestors = new Set([key, ...parents.flatMap((parent) => [...parent.ancestors])])
      made.push({ key, rank: (key * 7 + 3) % 11, fee, size, ancestors })
    }
    return made
  })

const feeFrac = fc.record({
  fee: fc.oneof(fc.integer({ min: -20, max: 20 }), fc.integer({ min: -21e14, max: 21e14 })),
  size: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 404_000 }))
})

const exactOrder = (a: FeeFrac, b: FeeFrac): number => {
  const difference = BigInt(a.fee) * BigInt(b.size) - BigInt(b.fee) * BigInt(a.size)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

describe("the mempool's graph", () => {
  it("is what a graph that computes everything anew is, with clusters small enough for brute force", () =>
    check(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.constantFrom(8, 40, 10_000), steps(30, 9, 5), (count, size, all) =>
        assert.isUndefined(playSteps(players({ transactions: count, size }), all, 1))),
      150
    ))

  it("is so with clusters of up to 64 transactions, which are never worse than by ancestor feerate", () =>
    check(
      fc.property(fc.constantFrom(5, 100_000), steps(120, 1_000, 300), (fee, all) => {
        const scaled = all.map((step) => ({ ...step, fees: step.fees.map((each) => each % fee) }))
        assert.isUndefined(playSteps(players({ transactions: 64, size: 404_000 }), scaled, 20))
      }),
      40
    ))

  it("is so with fees whose products with sizes are not exact in floating point", () =>
    check(
      fc.property(steps(30, 1_000, 400_000), (all) => {
        const large = all.map((step) => ({ ...step, fees: step.fees.map((fee) => 4e14 - (fee % 3)) }))
        assert.isUndefined(playSteps(players({ transactions: 4, size: 1e6 }), large, 2))
      }),
      60
    ))

  it("has the one order of small clusters, however many ties there are", () =>
    check(
      fc.property(entries(7), (all) => {
        const limits = { transactions: 7, size: 100 }
        const graph = txGraph({ limits, compareIds: (a, b) => all[a]!.rank - all[b]!.rank })
        for (const { ancestors, fee, key, size } of all) {
          const parents = [...ancestors].filter((each) => each !== key)
          graph.apply({ removals: [], additions: [{ fee, size, parents }] })
        }
        const order = [...graph.miningOrder()].map((key) => all[key]!)
        assert.deepStrictEqual(
          order,
          bestMiningOrder(new Map(all.map((each) => [each.key, each]))).flatMap(({ entries: own }) => own)
        )
      }),
      1_000
    ))
})

describe("the oracle of linearization", () => {
  it("cuts its best order into chunks of falling feerate that no topological order beats", () =>
    check(
      fc.property(entries(6), (all) => {
        const best = chunksOf(bestOrder(all))
        for (const other of allOrders(all)) assert.oneOf(diagramOrder(best, chunksOf(other)), ["better", "equal"])
      }),
      60
    ))
})

describe("feerates", () => {
  it("compare exactly", () =>
    check(
      fc.property(
        feeFrac,
        feeFrac,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: -1, max: 1 }),
        (a, b, by, off) => {
          assert.strictEqual(compareFeerates(a.fee, a.size, b.fee, b.size), exactOrder(a, b))
          const near = { fee: a.fee * by + off, size: a.size * by }
          assert.strictEqual(compareFeerates(near.fee, near.size, a.fee, a.size), exactOrder(near, a))
        }
      ),
      2_000
    ))

  it("make diagrams that compare as the curves do at each size", () => {
    const diagram = fc.array(
      fc.record({ fee: fc.integer({ min: -3, max: 20 }), size: fc.integer({ min: 1, max: 5 }) }),
      {
        maxLength: 6
      }
    ).map((chunks) => chunks.toSorted((a, b) => -exactOrder(a, b)))
    const naive = (chunks: ReadonlyArray<FeeFrac>) =>
      chunks.map((chunk, key) => chunkOf([{ ...chunk, key, rank: key, ancestors: new Set([key]) }]))
    check(
      fc.property(
        diagram,
        diagram,
        (a, b) => assert.strictEqual(compareDiagrams(a, b), diagramOrder(naive(a), naive(b)))
      ),
      1_000
    )
  })
})
