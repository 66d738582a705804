import * as Result from "effect/Result"
import { compareBytes } from "../bytes/equal.ts"
import { isNullOutPoint, type OutPoint, type Transaction } from "../model/transaction.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"

export type NoInputs = Violation<"TXN-001", null>
export type DuplicateInputs = Violation<"TXN-007", { readonly prevout: OutPoint }>
export type NullPrevout = Violation<"TXN-009", { readonly input: number }>

/**
 * A transaction spends something.
 *
 * @spec TXN-001 #a9854b47
 */
export const inputsExist = (tx: Transaction): Verdict<void, NoInputs> =>
  tx.inputs.length > 0 ? HOLDS : Result.fail(violation("TXN-001", null))

const compareOutPoints = (a: OutPoint, b: OutPoint): number => a.vout - b.vout || compareBytes(a.txid, b.txid)

/**
 * No output is spent twice by one transaction (CVE-2018-17144).
 *
 *     i ≠ j ⇒ inputs[i].prevout ≠ inputs[j].prevout
 *
 * Sorted, so that a block full of inputs costs n·log n whatever ids an attacker chooses.
 *
 * @spec TXN-007 #2b11ae87
 */
export const inputsAreDistinct = (tx: Transaction): Verdict<void, DuplicateInputs> => {
  const sorted = tx.inputs.map((input) => input.prevout).sort(compareOutPoints)
  for (let i = 1; i < sorted.length; i++) {
    if (compareOutPoints(sorted[i - 1]!, sorted[i]!) === 0) {
      return Result.fail(violation("TXN-007", { prevout: sorted[i]! }))
    }
  }
  return HOLDS
}

/**
 * Only a coinbase has an input that spends nothing. Precondition: `tx` is no coinbase.
 *
 * @spec TXN-009 #01ebd931
 */
export const prevoutsAreNotNull = (tx: Transaction): Verdict<void, NullPrevout> => {
  for (let i = 0; i < tx.inputs.length; i++) {
    if (isNullOutPoint(tx.inputs[i]!.prevout)) return Result.fail(violation("TXN-009", { input: i }))
  }
  return HOLDS
}
