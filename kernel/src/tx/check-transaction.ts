import * as Result from "effect/Result"
import { isCoinbase, type Transaction } from "../model/transaction.ts"
import { HOLDS, type Verdict, type Violation } from "../verdict.ts"
import { inputsAreDistinct, inputsExist, prevoutsAreNotNull } from "./inputs.ts"
import { outputsExist, outputTotalIsInRange, outputValueIsInRange, outputValueIsNotNegative } from "./outputs.ts"
import { coinbaseScriptSize, strippedSizeFitsBlock } from "./size.ts"

const checkValues = (tx: Transaction): Verdict<void> => {
  let total = 0n
  for (const { value } of tx.outputs) {
    const notNegative = outputValueIsNotNegative(value)
    if (Result.isFailure(notNegative)) return notNegative
    const inRange = outputValueIsInRange(value)
    if (Result.isFailure(inRange)) return inRange
    total += value
    const totalInRange = outputTotalIsInRange(total)
    if (Result.isFailure(totalInRange)) return totalInRange
  }
  return HOLDS
}

/**
 * Checks a transaction alone, without knowing what it spends. The order decides which reason is reported; value and
 * total are checked output by output.
 *
 * @spec TXN-010 #cfed8437
 */
export const checkTransaction = (tx: Transaction): Verdict<void, Violation> => {
  for (const rule of [inputsExist, outputsExist, strippedSizeFitsBlock, checkValues, inputsAreDistinct]) {
    const verdict = rule(tx)
    if (Result.isFailure(verdict)) return verdict
  }
  return isCoinbase(tx) ? coinbaseScriptSize(tx) : prevoutsAreNotNull(tx)
}
