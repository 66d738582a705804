import type { Sats } from "../quantities.ts"

/** A fee for a size in virtual bytes, as an exact fraction. A size of 0 or less is no rate: every fee for it is 0. */
export interface FeeRate {
  readonly fee: Sats
  readonly size: number
}

const INT64_MAX = 2n ** 63n - 1n
const INT64_MIN = -(2n ** 63n)

/** The quotient towards −∞; `divisor` is positive. BigInt's own division goes towards zero. */
const floorOf = (dividend: bigint, divisor: bigint): bigint =>
  dividend < 0n ? -((-dividend + divisor - 1n) / divisor) : dividend / divisor

/**
 * The fee for `size` virtual bytes at `rate`, in whole satoshis towards +∞. A negative rate never rounds to nothing.
 *
 * @spec POL-020 #cbdc4463
 */
export const feeForSize = (rate: FeeRate, size: number): Sats => {
  if (rate.size <= 0) return 0n
  const fee = -floorOf(-rate.fee * BigInt(size), BigInt(rate.size))
  return fee === 0n && size !== 0 && rate.fee < 0n ? -1n : fee
}

/**
 * The rate in satoshis per 1,000 virtual bytes, rounded towards −∞, as results and logs show it.
 *
 * @spec POL-021 #0e3189cf
 */
export const feePerKilobyte = (rate: FeeRate): Sats =>
  rate.size <= 0 ? 0n : floorOf(rate.fee * 1000n, BigInt(rate.size))

/**
 * Negative, 0 or positive as `a` is less than, equal to or more than `b`; by cross multiplication, so nothing is
 * rounded. Precondition: both sizes are positive.
 *
 * @spec POL-022 #95e1ae80
 */
export const compareFeeRates = (a: FeeRate, b: FeeRate): number => {
  const difference = a.fee * BigInt(b.size) - b.fee * BigInt(a.size)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/**
 * The fee that orders a transaction: what it pays and what the operator added, held within 64 bits.
 *
 * @spec POL-025 #e8776221
 */
export const modifiedFee = (fee: Sats, delta: Sats): Sats => {
  const sum = fee + delta
  return sum > INT64_MAX ? INT64_MAX : sum < INT64_MIN ? INT64_MIN : sum
}
