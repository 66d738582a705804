import * as Result from "effect/Result"
import { COINBASE_MATURITY, MAX_MONEY } from "../constants.ts"
import type { Height, Sats } from "../quantities.ts"
import type { OutPoint, Transaction } from "../model/transaction.ts"
import type { Coin, UtxoView } from "../utxo/coin.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"

export type MissingOrSpent = Violation<"TXI-001", { readonly prevout: OutPoint }>
export type PrematureCoinbaseSpend = Violation<
  "TXI-002",
  { readonly prevout: OutPoint; readonly coinHeight: Height; readonly spendHeight: Height }
>
export type InputValueOutOfRange = Violation<"TXI-003", { readonly total: Sats }>
export type SpendsMoreThanItHas = Violation<"TXI-004", { readonly valueIn: Sats; readonly valueOut: Sats }>
export type FeeOutOfRange = Violation<"TXI-005", { readonly fee: Sats }>

/**
 * Every output a transaction spends exists; yields them in input order.
 *
 * @spec TXI-001 #99e58549
 */
export const inputsAreAvailable = (tx: Transaction, view: UtxoView): Verdict<ReadonlyArray<Coin>, MissingOrSpent> => {
  const coins: Array<Coin> = []
  for (const { prevout } of tx.inputs) {
    const coin = view.coinAt(prevout)
    if (coin === undefined) return Result.fail(violation("TXI-001", { prevout }))
    coins.push(coin)
  }
  return Result.succeed(coins)
}

/**
 * A coinbase that is spent is at least {@link COINBASE_MATURITY} blocks deep.
 *
 *     coin.isCoinbase ⇒ spendHeight − coin.height ≥ 100
 *
 * @spec TXI-002 #c104407b
 */
export const coinbaseIsMature = (
  coin: Coin,
  prevout: OutPoint,
  spendHeight: Height
): Verdict<void, PrematureCoinbaseSpend> =>
  !coin.isCoinbase || spendHeight - coin.height >= COINBASE_MATURITY
    ? HOLDS
    : Result.fail(violation("TXI-002", { prevout, coinHeight: coin.height, spendHeight }))

/**
 * The value of a spent coin, and of all so far, is at most the supply.
 *
 * @spec TXI-003 #bfd5967b
 */
export const inputValueIsInRange = (value: Sats, total: Sats): Verdict<void, InputValueOutOfRange> =>
  value >= 0n && value <= MAX_MONEY && total <= MAX_MONEY ? HOLDS : Result.fail(violation("TXI-003", { total }))

/**
 * A transaction spends at least what it pays.
 *
 * @spec TXI-004 #abd2ac7e
 */
export const inputsCoverOutputs = (valueIn: Sats, valueOut: Sats): Verdict<void, SpendsMoreThanItHas> =>
  valueIn >= valueOut ? HOLDS : Result.fail(violation("TXI-004", { valueIn, valueOut }))

/**
 * A fee is an amount of money.
 *
 * @spec TXI-005 #1eb4074a
 */
export const feeIsInRange = (fee: Sats): Verdict<void, FeeOutOfRange> =>
  fee >= 0n && fee <= MAX_MONEY ? HOLDS : Result.fail(violation("TXI-005", { fee }))
