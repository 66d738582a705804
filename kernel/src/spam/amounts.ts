import * as Result from "effect/Result"
import type { TransactionOutput } from "../model/transaction.ts"
import type { Sats } from "../quantities.ts"
import { isUnspendable } from "../utxo/spendable.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"

export type OutputBelowMinimum = Violation<"SPM-003", { readonly value: Sats; readonly minimum: Sats }>
export type WitnessItemTooLong = Violation<"SPM-004", { readonly size: number; readonly limit: number }>
export type FeeRateBelowMinimum = Violation<"SPM-005", { readonly fee: Sats; readonly size: number }>
export type TooManyBytesForValue = Violation<"SPM-006", { readonly size: number; readonly value: Sats }>
export type TooManySmallOutputs = Violation<"SPM-007", { readonly count: number; readonly limit: number }>

/**
 * An output that can be spent has at least the value that the operator wants to keep coins of.
 *
 * @spec SPM-003 #8b5efe76
 */
export const outputIsWorthKeeping = (output: TransactionOutput, minimum: Sats): Verdict<void, OutputBelowMinimum> =>
  output.value >= minimum || isUnspendable(output.script)
    ? HOLDS
    : Result.fail(violation("SPM-003", { value: output.value, minimum }))

/**
 * An item of a witness is no longer than the operator wants to relay.
 *
 * @spec SPM-004 #3c2ab147
 */
export const witnessItemIsShort = (size: number, limit: number | undefined): Verdict<void, WitnessItemTooLong> =>
  limit === undefined || size <= limit ? HOLDS : Result.fail(violation("SPM-004", { size, limit }))

/**
 * The fee is that of the operator's least feerate, in satoshis a virtual byte.
 *
 * @spec SPM-005 #5c5d5e64
 */
export const feeRateIsWorthRelaying = (
  fee: Sats,
  size: number,
  minimum: number
): Verdict<void, FeeRateBelowMinimum> =>
  fee >= BigInt(Math.ceil(size * minimum)) ? HOLDS : Result.fail(violation("SPM-005", { fee, size }))

/**
 * A transaction has few bytes for each satoshi that it pays to outputs.
 *
 * @spec SPM-006 #127090f9
 */
export const valueIsWorthItsSize = (
  size: number,
  value: Sats,
  limit: number | undefined
): Verdict<void, TooManyBytesForValue> =>
  limit === undefined || BigInt(size) <= value * BigInt(limit)
    ? HOLDS
    : Result.fail(violation("SPM-006", { size, value }))

/**
 * Few outputs are small.
 *
 * @spec SPM-007 #b7ccd3d1
 */
export const smallOutputsAreFew = (count: number, limit: number | undefined): Verdict<void, TooManySmallOutputs> =>
  limit === undefined || count <= limit ? HOLDS : Result.fail(violation("SPM-007", { count, limit }))
