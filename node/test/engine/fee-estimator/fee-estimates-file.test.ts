import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import {
  decodeFeeEstimates,
  encodeFeeEstimates,
  isStale
} from "../../../src/engine/fee-estimator/fee-estimates-file.ts"
import {
  countConnectedBlock,
  type FeeHistory,
  feeEstimator,
  historyOf,
  transactionEntered
} from "../../../src/engine/fee-estimator/fee-estimator.ts"
import { type Averages, emptyAverages } from "../../../src/engine/fee-estimator/horizon.ts"

const history = (): FeeHistory => {
  const estimator = feeEstimator()
  for (let height = 100; height < 120; height++) {
    countConnectedBlock(estimator, height, [`${height - 3}`])
    transactionEntered(estimator, {
      txid: `${height}`,
      fee: BigInt(height * 37),
      virtualSize: 141,
      height,
      bypassesLimits: false,
      isOfPackage: false,
      hasMempoolParent: false,
      isChainCurrent: true
    })
  }
  return historyOf(estimator)
}

const fault = (changed: Partial<FeeHistory>): string | undefined => {
  const decoded = decodeFeeEstimates(encodeFeeEstimates({ ...history(), ...changed }))
  return Result.isFailure(decoded) ? decoded.failure : undefined
}

const withShort = (changed: Partial<Averages>): Partial<FeeHistory> => {
  const { horizons } = history()
  return { horizons: { ...horizons, short: { ...horizons.short, ...changed } } }
}

describe("fee_estimates.dat", () => {
  it("holds all averages, and nothing of the mempool", () => {
    const before = history()
    const bytes = encodeFeeEstimates(before)
    assert.deepStrictEqual([...bytes.subarray(0, 8)], [0x8c, 0xba, 0x04, 0x00, 119, 0, 0, 0])
    const decoded = Result.getOrThrow(decodeFeeEstimates(bytes))
    for (const name of ["short", "medium", "long"] as const) {
      const { confirmed, confirmedCounts, decay, failed, feerateSums, scale } = before.horizons[name]
      assert.deepStrictEqual(decoded.horizons[name], { decay, scale, feerateSums, confirmedCounts, confirmed, failed })
    }
    assert.deepStrictEqual(
      [decoded.bestHeight, decoded.recordedFirst, decoded.recordedBest, decoded.bounds],
      [119, before.recordedFirst, before.recordedBest, before.bounds]
    )
  })

  it("may be followed by other bytes, and may not end early", () => {
    const bytes = encodeFeeEstimates(history())
    assert.isTrue(Result.isSuccess(decodeFeeEstimates(Buffer.concat([bytes, Uint8Array.of(1)]))))
    for (const length of [0, 3, 4, 15, 100, bytes.length - 1]) {
      assert.isTrue(Result.isFailure(decodeFeeEstimates(bytes.subarray(0, length))), String(length))
    }
  })

  it("of another version is not read", () => {
    const bytes = encodeFeeEstimates(history())
    for (const version of [149_900, 309_899, 309_901, -1]) {
      new DataView(bytes.buffer).setInt32(0, version, true)
      assert.deepStrictEqual(decodeFeeEstimates(bytes), Result.fail(`its version is ${version}`))
    }
  })

  it("is not used when its numbers do not fit each other", () => {
    const { bounds, horizons } = history()
    assert.isUndefined(fault({}))
    assert.include(fault({ recordedFirst: 120 }), "do not fit")
    assert.include(fault({ recordedBest: 120 }), "do not fit")
    assert.strictEqual(fault({ bounds: Float64Array.of(1e99) }), "it has 1 buckets")
    assert.strictEqual(fault({ bounds: new Float64Array(1_001) }), "it has 1001 buckets")
    assert.include(fault({ bounds: bounds.slice(1) }), "not of 236 buckets")
    for (const decay of [0, 1, -0.5, Number.NaN]) assert.include(fault(withShort({ decay })), "between 0 and 1")
    assert.strictEqual(fault(withShort({ scale: 0 })), "a period has no blocks")
    assert.isUndefined(fault(withShort({ scale: 84 })))
    assert.include(fault(withShort({ scale: 85 })), "highest target 1020")
    assert.include(fault(withShort({ confirmed: [], failed: [] })), "highest target 0")
    assert.include(fault(withShort({ failed: horizons.short.failed.slice(1) })), "different periods")
    assert.include(fault(withShort({ confirmedCounts: new Float64Array(5) })), "not of 237 buckets")
  })

  it("may have from 2 to 1,000 buckets, and a single period of one block", () => {
    for (const buckets of [2, 1_000]) {
      const averages = emptyAverages(0.5, 1, 1, buckets)
      const horizons = { short: averages, medium: averages, long: averages }
      assert.isUndefined(fault({ bounds: new Float64Array(buckets), horizons }))
    }
  })

  it("is too old from 61 whole hours on", () => {
    const hour = 3_600_000
    assert.isFalse(isStale(61 * hour - 1))
    assert.isTrue(isStale(61 * hour))
    assert.isFalse(isStale(-hour))
  })
})
