import type { RawEstimate } from "../fee-estimator/estimates.ts"
import type { HorizonName } from "../fee-estimator/fee-estimator.ts"
import type { Call } from "./call.ts"

/** An estimated feerate in satoshis per 1,000 virtual bytes. */
export interface FeeAnswer {
  /** At least the current minimum of the mempool; `undefined` if the data do not suffice. */
  readonly feerate: number | undefined
  /** The confirmation target, in blocks, that the estimate is for. */
  readonly target: number
}

/** Estimates of single horizons, by name; `undefined` if the horizon does not cover the target. */
export type RawFeeAnswer = Readonly<Record<HorizonName, RawEstimate | undefined>>

/** Calls about fees. A target is an integer from 1 to `highestFeeTarget`. */
export interface FeeCalls {
  /** The highest target that estimates are made for. */
  readonly highestFeeTarget: Call<void, number, "FeeEstimationDisabled">
  readonly estimateFee: Call<
    { readonly target: number; readonly isConservative: boolean },
    FeeAnswer,
    "FeeEstimationDisabled"
  >
  readonly estimateRawFee: Call<
    { readonly target: number; readonly successShare: number },
    RawFeeAnswer,
    "FeeEstimationDisabled"
  >
}
