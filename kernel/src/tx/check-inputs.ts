import * as Result from "effect/Result"
import type { Height, Sats } from "../quantities.ts"
import type { Transaction } from "../model/transaction.ts"
import type { Coin } from "../utxo/coin.ts"
import type { Verdict, Violation } from "../verdict.ts"
import { coinbaseIsMature, feeIsInRange, inputsCoverOutputs, inputValueIsInRange } from "./spending.ts"

/** Returns the sum of a transaction's outputs, in satoshis. @internal */
export const valueOut = (tx: Transaction): Sats => {
  let total = 0n
  for (const output of tx.outputs) total += output.value
  return total
}

/**
 * Checks a transaction, given the coins it spends; yields its fee in satoshis.
 *
 * Maturity and range are checked coin by coin. Precondition: TXN-010, and TXI-001 has yielded `coins`.
 *
 * @spec TXI-006 #5fe003a1
 */
export const checkInputs = (
  tx: Transaction,
  coins: ReadonlyArray<Coin>,
  spendHeight: Height
): Verdict<Sats, Violation> => {
  let valueIn = 0n
  for (let i = 0; i < coins.length; i++) {
    const coin = coins[i]!
    const mature = coinbaseIsMature(coin, tx.inputs[i]!.prevout, spendHeight)
    if (Result.isFailure(mature)) return Result.fail(mature.failure)
    valueIn += coin.value
    const inRange = inputValueIsInRange(coin.value, valueIn)
    if (Result.isFailure(inRange)) return Result.fail(inRange.failure)
  }
  const paid = valueOut(tx)
  const covered = inputsCoverOutputs(valueIn, paid)
  if (Result.isFailure(covered)) return Result.fail(covered.failure)
  const fee = valueIn - paid
  const feeInRange = feeIsInRange(fee)
  return Result.isFailure(feeInRange) ? Result.fail(feeInRange.failure) : Result.succeed(fee)
}
