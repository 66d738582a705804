import { assert, describe, it } from "@effect/vitest"
import { feeRatePercentiles, truncatedMedian } from "../../src/methods/chain/fee-percentiles.ts"

const rates = (...pairs: ReadonlyArray<readonly [rate: number, weight: number]>) =>
  pairs.map(([rate, weight]) => ({ rate, weight }))

const sum = (all: ReturnType<typeof rates>): number => all.reduce((total, { weight }) => total + weight, 0)
const percentiles = (...pairs: ReadonlyArray<readonly [rate: number, weight: number]>): ReadonlyArray<number> =>
  feeRatePercentiles(rates(...pairs), sum(rates(...pairs)))

describe("percentiles of fee rates", () => {
  it("of a share that ends exactly at a transaction are the rate of that transaction, not of the next", () => {
    const ten = Array.from({ length: 20 }, (_, i): readonly [number, number] => [i + 1, 50])
    // 10, 25, 50, 75 and 90 percent of 1,000: behind the 2nd, 5th, 10th, 15th and 18th transaction.
    assert.deepStrictEqual(percentiles(...ten), [2, 5, 10, 15, 18])
  })

  it("of a share that ends one unit beyond a transaction are the rate of the next", () => {
    assert.deepStrictEqual(percentiles([1, 99], [2, 150], [3, 250], [4, 250], [5, 150], [6, 101]), [2, 3, 4, 5, 6])
    assert.deepStrictEqual(percentiles([1, 100], [2, 150], [3, 250], [4, 250], [5, 150], [6, 100]), [1, 2, 3, 4, 5])
    assert.deepStrictEqual(percentiles([1, 101], [2, 150], [3, 250], [4, 250], [5, 150], [6, 99]), [1, 2, 3, 4, 5])
  })

  it("count weight, not transactions, and do not depend on their order", () => {
    assert.deepStrictEqual(percentiles([5, 1], [1, 998], [9, 1]), [1, 1, 1, 1, 1])
    assert.deepStrictEqual(percentiles([9, 500], [1, 500]), percentiles([1, 500], [9, 500]))
    assert.deepStrictEqual(percentiles([9, 500], [1, 500]), [1, 1, 1, 9, 9])
  })

  it("of one transaction are its rate, and of none zero", () => {
    assert.deepStrictEqual(percentiles([7, 400]), [7, 7, 7, 7, 7])
    assert.deepStrictEqual(percentiles(), [0, 0, 0, 0, 0])
  })

  it("of rates that are the same come out the same", () => {
    assert.deepStrictEqual(percentiles([3, 10], [3, 20], [3, 30]), [3, 3, 3, 3, 3])
  })
})

describe("a truncated median", () => {
  it("is the middle one, the mean of the middle two without its fraction, or zero of none", () => {
    assert.strictEqual(truncatedMedian([]), 0)
    assert.strictEqual(truncatedMedian([5]), 5)
    assert.strictEqual(truncatedMedian([9, 1, 5]), 5)
    assert.strictEqual(truncatedMedian([10, 9, 100, 2]), 9)
    assert.strictEqual(truncatedMedian([1, 2]), 1)
    assert.strictEqual(truncatedMedian([2, 4]), 3)
    assert.strictEqual(truncatedMedian([-1, -2]), -1)
  })
})
