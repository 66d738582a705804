import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { bucketBounds, bucketOf, feeratePerKvb } from "../../../src/engine/fee-estimator/buckets.ts"
import { rawEstimate, smartEstimate } from "../../../src/engine/fee-estimator/estimates.ts"
import {
  countConnectedBlock,
  type EnteredTransaction,
  type FeeEstimator,
  feeEstimator,
  historicalSpan,
  historyOf,
  recordedSpan,
  transactionEntered,
  transactionLeft,
  untrackAll
} from "../../../src/engine/fee-estimator/fee-estimator.ts"
import {
  addUnconfirmed,
  emptyAverages,
  horizonWith,
  removeUnconfirmed,
  startBlock
} from "../../../src/engine/fee-estimator/horizon.ts"
import { searchMedian } from "../../../src/engine/fee-estimator/median-search.ts"
import { type Life, slowMedian } from "./slow-estimator.ts"

const ALONE = { bypassesLimits: false, isOfPackage: false, hasMempoolParent: false, isChainCurrent: true }

const enter = (estimator: FeeEstimator, txid: string, fee: bigint, other: Partial<EnteredTransaction> = {}): void =>
  transactionEntered(estimator, { txid, fee, virtualSize: 100, height: estimator.bestHeight, ...ALONE, ...other })

const at = (height: number): FeeEstimator => {
  const estimator = feeEstimator()
  countConnectedBlock(estimator, height, [])
  return estimator
}

/** Each block confirms ten transactions that entered `delay` blocks before. */
const steady = (estimator: FeeEstimator, blocks: number, fee: bigint, delay: number): void => {
  for (let i = 0; i < blocks; i++) {
    const entering = estimator.bestHeight
    for (let k = 0; k < 10; k++) enter(estimator, `${fee}:${entering}:${k}`, fee)
    const due = entering + 1 - delay
    countConnectedBlock(estimator, entering + 1, Array.from({ length: 10 }, (_, k) => `${fee}:${due}:${k}`))
  }
}

describe("fee rate buckets", () => {
  it("there are 237: from 100 satoshis per kvB, each 5 percent above the last, up to 10,000,000, and one for the rest", () => {
    const bounds = bucketBounds()
    assert.strictEqual(bounds.length, 237)
    assert.deepStrictEqual([...bounds.subarray(0, 3)], [100, 105, 110.25])
    assert.isAtMost(bounds[235]!, 1e7)
    assert.isAbove(bounds[235]! * 1.05, 1e7)
    assert.strictEqual(bounds[236], 1e99)
  })

  it("a fee rate belongs to the first bucket whose bound is not below it", () => {
    const bounds = bucketBounds()
    const rate = fc.oneof(fc.integer({ min: 0, max: 20_000_000 }), fc.constantFrom(...bounds))
    fc.assert(fc.property(rate, (feerate) => {
      assert.strictEqual(bucketOf(bounds, feerate), bounds.findIndex((bound) => bound >= feerate))
    }))
  })

  it("a fee rate is rounded down to a satoshi per kvB", () => {
    assert.strictEqual(feeratePerKvb(1n, 3), 333)
    assert.strictEqual(feeratePerKvb(2n, 3), 666)
    assert.strictEqual(feeratePerKvb(2_100_000_000_000_000n, 1), 2.1e18)
  })
})

describe("what the estimator tracks", () => {
  it("only transactions alone, in a current chain, that entered at the best height", () => {
    const estimator = at(200)
    enter(estimator, "package", 100n, { isOfPackage: true })
    enter(estimator, "child", 100n, { hasMempoolParent: true })
    enter(estimator, "back", 100n, { bypassesLimits: true })
    enter(estimator, "behind", 100n, { isChainCurrent: false })
    enter(estimator, "lower", 100n, { height: 199 })
    enter(estimator, "higher", 100n, { height: 201 })
    assert.strictEqual(estimator.tracked.size, 0)
    enter(estimator, "own", 100n)
    enter(estimator, "own", 90_000n)
    assert.strictEqual(estimator.tracked.get("own")?.feerate, 1_000)
  })

  it("blocks at the best height or below change nothing, and what they confirm stays tracked", () => {
    const estimator = at(200)
    enter(estimator, "own", 100n)
    countConnectedBlock(estimator, 200, ["own"])
    countConnectedBlock(estimator, 150, ["own"])
    assert.isTrue(estimator.tracked.has("own"))
    assert.strictEqual(estimator.firstRecorded, 0)
    countConnectedBlock(estimator, 201, ["own"])
    assert.isFalse(estimator.tracked.has("own"))
    assert.strictEqual(estimator.firstRecorded, 201)
  })

  it("a transaction that leaves counts as failed for each whole period that it waited, and no longer as waiting", () => {
    const estimator = at(2_000)
    enter(estimator, "own", 100n)
    for (let height = 2_001; height <= 2_005; height++) countConnectedBlock(estimator, height, [])
    const bucket = bucketOf(estimator.bounds, 1_000)
    const { long, medium, short } = estimator.horizons
    const waits = () => rawEstimate(estimator, "short", 5, 0.5)?.fail?.inMempool
    assert.strictEqual(waits(), 1)
    transactionLeft(estimator, "own")
    assert.strictEqual(waits(), 0)
    assert.deepStrictEqual(short.failed.map((row) => row[bucket]), [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
    assert.deepStrictEqual(medium.failed.slice(0, 4).map((row) => row[bucket]), [1, 1, 0, 0])
    assert.strictEqual(long.failed[0]![bucket], 0)
    transactionLeft(estimator, "own")
    assert.strictEqual(short.failed[0]![bucket], 1)
  })

  it("at the stop all that is tracked counts as failed", () => {
    const estimator = at(2_000)
    for (const txid of ["a", "b", "c"]) enter(estimator, txid, 100n)
    countConnectedBlock(estimator, 2_001, [])
    untrackAll(estimator)
    assert.strictEqual(estimator.tracked.size, 0)
    assert.strictEqual(estimator.horizons.short.failed[0]![bucketOf(estimator.bounds, 1_000)], 3)
  })
})

describe("an estimate beyond the quickest horizon", () => {
  /** Each block confirms ten dear transactions of the block before, and ten cheap ones that waited `delay` blocks. */
  const mixed = (estimator: FeeEstimator, blocks: number, delay: number): void => {
    for (let i = 0; i < blocks; i++) {
      const entering = estimator.bestHeight
      const names = (kind: string, height: number) => Array.from({ length: 10 }, (_, k) => `${kind}:${height}:${k}`)
      for (const txid of names("dear", entering)) enter(estimator, txid, 10_000n)
      for (const txid of names("cheap", entering)) enter(estimator, txid, 1_000n)
      const due = [...names("dear", entering), ...names("cheap", entering + 1 - delay)]
      countConnectedBlock(estimator, entering + 1, due)
    }
  }

  it("is that of the quicker one's last target where that says less, since it holds for later targets as well", () => {
    const estimator = at(1_000)
    mixed(estimator, 100, 30)
    countConnectedBlock(estimator, estimator.bestHeight + 1, [...estimator.tracked.keys()])
    mixed(estimator, 60, 1)
    const of = (name: "short" | "medium", target: number, share: number): number =>
      rawEstimate(estimator, name, target, share)?.feerate ?? Infinity
    const [quick, slow] = [of("short", 12, 0.85), of("medium", 20, 0.85)]
    assert.deepStrictEqual([quick, slow], [10_000, 100_000], "they differ")
    const half = of("short", 10, 0.6)
    const double = Math.min(of("medium", 40, 0.95), of("short", 12, 0.95))
    assert.deepStrictEqual(smartEstimate(estimator, 20, false), {
      feerate: Math.max(half, quick, double),
      target: 20
    })
  })
})

describe("smart estimates", () => {
  it("say nothing before twice the target was seen", () => {
    const estimator = at(2_000)
    steady(estimator, 4, 1_000n, 1)
    assert.deepStrictEqual(smartEstimate(estimator, 2, false), { feerate: undefined, target: 1 })
    steady(estimator, 1, 1_000n, 1)
    assert.deepStrictEqual(smartEstimate(estimator, 6, false), { feerate: 10_000, target: 2 })
    assert.deepStrictEqual(smartEstimate(estimator, 1_009, false), { feerate: undefined, target: 1_009 })
  })

  it("follow a fall of fee rates, and the conservative ones later", () => {
    const estimator = at(2_000)
    steady(estimator, 300, 9_000n, 1)
    assert.deepStrictEqual(smartEstimate(estimator, 6, false), { feerate: 90_000, target: 6 })
    steady(estimator, 300, 1_000n, 1)
    assert.deepStrictEqual(smartEstimate(estimator, 6, false), { feerate: 10_000, target: 6 })
    assert.isAtLeast(smartEstimate(estimator, 6, true).feerate!, 10_000)
  })

  it("rely on the span of the file until their own is more than half of it, and forget it after 6,048 blocks", () => {
    const first = at(2_000)
    steady(first, 100, 1_000n, 1)
    const saved = historyOf(first)
    assert.deepStrictEqual([saved.recordedFirst, saved.recordedBest], [2_001, 2_100])
    const second = feeEstimator(saved)
    assert.strictEqual(historicalSpan(second), 99)
    steady(second, 50, 1_000n, 1)
    assert.strictEqual(recordedSpan(second), 49)
    assert.deepStrictEqual(historyOf(second).recordedBest, 2_100)
    steady(second, 1, 1_000n, 1)
    assert.deepStrictEqual(historyOf(second).recordedFirst, 2_101)
    countConnectedBlock(second, 2_100 + 6_048, [])
    assert.strictEqual(historicalSpan(second), 99)
    countConnectedBlock(second, 2_100 + 6_049, [])
    assert.strictEqual(historicalSpan(second), 0)
  })
})

describe("the counters of a horizon", () => {
  const HORIZONS = {
    short: { decay: 0.962, scale: 1, periods: 12, sufficient: 0.5 },
    medium: { decay: 0.9952, scale: 2, periods: 24, sufficient: 0.1 }
  }
  /** Each step: so many enter at this fee rate, then this share of those that wait confirm or leave. */
  const step = fc.record({
    entering: fc.integer({ min: 0, max: 8 }),
    fee: fc.bigInt(20n, 400n),
    confirms: fc.integer({ min: 1, max: 6 }),
    leaves: fc.integer({ min: 3, max: 40 })
  })

  it("find the median that all events together say, whatever happened", () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 30, maxLength: 90 }),
        fc.integer({ min: 1, max: 12 }),
        fc.double({ min: 0.3, max: 0.99, noNaN: true }),
        (steps, target, share) => {
          const estimator = at(2_000)
          const lives = new Map<string, Life>()
          for (const { confirms, entering, fee, leaves } of steps) {
            for (let i = 0; i < entering; i++) {
              const txid = `${estimator.bestHeight}:${i}`
              enter(estimator, txid, fee + BigInt(i))
              lives.set(txid, { entered: estimator.bestHeight, feerate: feeratePerKvb(fee + BigInt(i), 100) })
            }
            const waiting = [...lives].filter(([, life]) => life.left === undefined)
            for (const [txid, life] of waiting.filter((_, i) => i % leaves === 1)) {
              transactionLeft(estimator, txid)
              Object.assign(life, { left: estimator.bestHeight, isConfirmed: false })
            }
            const confirmed = waiting.filter(([, life], i) => life.left === undefined && i % confirms === 0)
            countConnectedBlock(estimator, estimator.bestHeight + 1, confirmed.map(([txid]) => txid))
            for (const [, life] of confirmed) Object.assign(life, { left: estimator.bestHeight, isConfirmed: true })
          }
          for (const name of ["short", "medium"] as const) {
            const { median } = searchMedian(estimator.horizons[name], estimator.bounds, estimator.bestHeight, {
              target,
              successShare: share,
              sufficient: HORIZONS[name].sufficient
            })
            const slow = slowMedian(
              [...lives.values()],
              [...estimator.bounds],
              estimator.bestHeight,
              HORIZONS[name],
              target,
              share
            )
            if (slow === "tie") continue
            assert.strictEqual(median === undefined, slow === undefined)
            if (median !== undefined) assert.closeTo(median / slow!, 1, 1e-9)
          }
        }
      ),
      { numRuns: 40 }
    )
  })
})

describe("a history of fees", () => {
  it("counts nothing only where each of its averages is zero", () => {
    const { bounds, horizons } = feeEstimator()
    const isEmpty = (): boolean =>
      feeEstimator({ bestHeight: 0, recordedFirst: 0, recordedBest: 0, bounds, horizons }).isEmpty
    assert.isTrue(feeEstimator().isEmpty)
    for (const name of ["short", "medium", "long"] as const) {
      const { confirmed, confirmedCounts, failed, feerateSums } = horizons[name]
      for (const values of [confirmedCounts, feerateSums, confirmed[1]!, failed.at(-1)!]) {
        const last = values.length - 1
        values[last] = 0.5
        assert.isFalse(isEmpty(), name)
        values[last] = 0
        assert.isTrue(isEmpty(), name)
      }
    }
  })
})

describe("a horizon", () => {
  it("takes a transaction out of those that wait, however long it did", () => {
    for (const age of [0, 1, 11, 12, 13, 40]) {
      const horizon = horizonWith(emptyAverages(0.5, 1, 12, 2))
      addUnconfirmed(horizon, 100, 1)
      for (let height = 101; height <= 100 + age; height++) startBlock(horizon, height)
      const waiting = (): number =>
        [...horizon.unconfirmed, horizon.oldUnconfirmed].reduce((sum, [, second]) => sum + Math.abs(second!), 0)
      assert.strictEqual(waiting(), 1)
      removeUnconfirmed(horizon, 100, age, 1)
      assert.strictEqual(waiting(), 0, `${age} blocks`)
    }
  })

  it("says nothing of transactions of a block that it did not track", () => {
    const estimator = at(100)
    enter(estimator, "known", 1_000n)
    countConnectedBlock(estimator, 101, ["unknown", "known", "known"])
    const { confirmedCounts } = estimator.horizons.short
    assert.strictEqual(confirmedCounts.reduce((sum, each) => sum + each, 0), 1)
  })
})
