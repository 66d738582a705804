import { type FeeEstimator } from "../../../src/engine/fee-estimator/fee-estimator.ts"
import { rawEstimate, smartEstimate } from "../../../src/engine/fee-estimator/estimates.ts"
import type { BucketRange } from "../../../src/engine/fee-estimator/median-search.ts"

const BTC = 1e8
const NOTHING_FOUND = "Insufficient data or no feerate found"

const hundredths = (value: number): number => Math.round(value * 100) / 100

const rangeAnswer = (range: BucketRange) => ({
  startrange: Math.round(range.start),
  endrange: Math.round(range.end),
  withintarget: hundredths(range.withinTarget),
  totalconfirmed: hundredths(range.totalConfirmed),
  inmempool: hundredths(range.inMempool),
  leftmempool: hundredths(range.leftMempool)
})

/** What `estimatesmartfee` answers; `floor`: the lowest fee rate that is relayed, in satoshis for 1,000 bytes. */
export const smartAnswer = (estimator: FeeEstimator, [target, mode]: ReadonlyArray<unknown>, floor: number) => {
  const { feerate, target: blocks } = smartEstimate(estimator, Number(target), mode === "conservative")
  return feerate === undefined
    ? { errors: [NOTHING_FOUND], blocks }
    : { feerate: Math.max(feerate, floor) / BTC, blocks }
}

/** What `estimaterawfee` answers. */
export const rawAnswer = (estimator: FeeEstimator, [target, threshold = 0.95]: ReadonlyArray<unknown>) => {
  const answer: Record<string, unknown> = {}
  for (const name of ["short", "medium", "long"] as const) {
    const raw = rawEstimate(estimator, name, Number(target), Number(threshold))
    if (raw === undefined) continue
    const { decay, fail, feerate, pass, scale } = raw
    const failed = fail === undefined ? {} : { fail: rangeAnswer(fail) }
    answer[name] = feerate === undefined
      ? { decay, scale, ...failed, errors: [`${NOTHING_FOUND} which meets threshold`] }
      : { feerate: feerate / BTC, decay, scale, pass: rangeAnswer(pass!), ...failed }
  }
  return answer
}
