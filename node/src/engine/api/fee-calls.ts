import type { RawEstimate } from "../fee-estimator/estimates.ts"
import type { HorizonName } from "../fee-estimator/fee-estimator.ts"
import type { Call } from "./call.ts"

/** A fee rate that should do, in satoshi per 1,000 virtual bytes. */
export interface FeeAnswer {
  /** Not below what the mempool asks for at present; none: too little is known. */
  readonly feerate: number | undefined
  /** The target in blocks that it is for. */
  readonly target: number
}

/** What single horizons say, by name; none: the horizon does not cover the target. */
export type RawFeeAnswer = Readonly<Record<HorizonName, RawEstimate | undefined>>

/** Calls about fees. A target is an integer from 1 to the highest one. */
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
