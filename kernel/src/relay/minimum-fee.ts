import * as Result from "effect/Result"
import type { Sats } from "../quantities.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"
import { compareFeeRates, type FeeRate, feeForSize } from "./fee-rate.ts"

/** The fee that was paid, and the least sufficient one. */
export interface FeeShortfall {
  readonly fee: Sats
  readonly minimum: Sats
}

export type BelowRollingMinimum = Violation<"POL-026", FeeShortfall>
export type BelowRelayMinimum = Violation<"POL-027", FeeShortfall>
export type AboveFeeCeiling = Violation<"POL-029", null>

/**
 * The fee is what the pool asks for since it last threw something out. No minimum asks for nothing, also not for a fee
 * that is not negative.
 *
 * @spec POL-026 #28d2d5c0
 */
export const rollingMinimumIsPaid = (fee: Sats, size: number, rate: FeeRate): Verdict<void, BelowRollingMinimum> => {
  const minimum = feeForSize(rate, size)
  return minimum > 0n && fee < minimum ? Result.fail(violation("POL-026", { fee, minimum })) : HOLDS
}

/**
 * The fee is what relaying the bytes costs.
 *
 * @spec POL-027 #ea13dc37
 */
export const relayMinimumIsPaid = (fee: Sats, size: number, rate: FeeRate): Verdict<void, BelowRelayMinimum> => {
  const minimum = feeForSize(rate, size)
  return fee < minimum ? Result.fail(violation("POL-027", { fee, minimum })) : HOLDS
}

/**
 * Both minimums, the pool's own first. `fee` is modified, of a transaction or of a whole package.
 *
 * @spec POL-028 #81238a8c
 */
export const checkFee = (fee: Sats, size: number, rolling: FeeRate, relay: FeeRate): Verdict<void, Violation> => {
  const pool = rollingMinimumIsPaid(fee, size, rolling)
  return Result.isFailure(pool) ? pool : relayMinimumIsPaid(fee, size, relay)
}

/**
 * The sender's own ceiling is kept. Equal is allowed; no ceiling allows everything. Precondition: `size` is positive.
 *
 * @spec POL-029 #4f541baa
 */
export const feeCeilingIsKept = (
  fee: Sats,
  size: number,
  ceiling: FeeRate | undefined
): Verdict<void, AboveFeeCeiling> =>
  ceiling !== undefined && compareFeeRates({ fee, size }, ceiling) > 0
    ? Result.fail(violation("POL-029", null))
    : HOLDS
