import * as Result from "effect/Result"
import { MAX_MONEY } from "../constants.ts"
import type { Sats } from "../quantities.ts"
import type { Transaction } from "../model/transaction.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"

export type NoOutputs = Violation<"TXN-002", null>
export type NegativeValue = Violation<"TXN-004", { readonly value: Sats }>
export type ValueTooLarge = Violation<"TXN-005", { readonly value: Sats }>
export type TotalTooLarge = Violation<"TXN-006", { readonly total: Sats }>

/**
 * A transaction pays something.
 *
 * @spec TXN-002 #dfefeea3
 */
export const outputsExist = (tx: Transaction): Verdict<void, NoOutputs> =>
  tx.outputs.length > 0 ? HOLDS : Result.fail(violation("TXN-002", null))

/**
 * An output's value is not negative.
 *
 * @spec TXN-004 #4b95def5
 */
export const outputValueIsNotNegative = (value: Sats): Verdict<void, NegativeValue> =>
  value >= 0n ? HOLDS : Result.fail(violation("TXN-004", { value }))

/**
 * An output's value is at most {@link MAX_MONEY}.
 *
 * @spec TXN-005 #6c060692
 */
export const outputValueIsInRange = (value: Sats): Verdict<void, ValueTooLarge> =>
  value <= MAX_MONEY ? HOLDS : Result.fail(violation("TXN-005", { value }))

/**
 * The values of the outputs so far add up to at most {@link MAX_MONEY}. Looked at after every output: in the first
 * client only each value was, and a sum that overflowed 64 bits passed (CVE-2010-5139).
 *
 * @spec TXN-006 #c52ef625
 */
export const outputTotalIsInRange = (total: Sats): Verdict<void, TotalTooLarge> =>
  total <= MAX_MONEY ? HOLDS : Result.fail(violation("TXN-006", { total }))
