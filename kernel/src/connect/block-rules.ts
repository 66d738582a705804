import * as Result from "effect/Result"
import { MAX_BLOCK_SIGOPS_COST, MAX_MONEY } from "../constants.ts"
import type { Block } from "../model/block.ts"
import type { Bytes, Sats } from "../quantities.ts"
import type { OutPoint } from "../model/transaction.ts"
import type { UtxoView } from "../utxo/coin.ts"
import { outPointOf } from "../utxo/overlay.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"

export type OverwritesCoin = Violation<"UTX-005", { readonly outpoint: OutPoint }>
export type FeesOutOfRange = Violation<"UTX-006", { readonly fees: Sats }>
export type SigOpsOutOfBudget = Violation<"UTX-007", { readonly cost: number }>
export type CoinbasePaysTooMuch = Violation<"UTX-008", { readonly paid: Sats; readonly limit: Sats }>

/**
 * No transaction of a block creates an output that exists unspent (BIP30). Looked at before anything of the block is
 * spent. Precondition: DEP-002 forbids it for this block.
 *
 * @spec UTX-005 #a5ca8bdd
 */
export const overwritesNoCoin = (block: Block, ids: Bytes, view: UtxoView): Verdict<void, OverwritesCoin> => {
  for (let i = 0; i < block.transactions.length; i++) {
    const txid = ids.subarray(i * 32, i * 32 + 32)
    for (let vout = 0; vout < block.transactions[i]!.outputs.length; vout++) {
      const outpoint = outPointOf(txid, vout)
      if (view.coinAt(outpoint) !== undefined) return Result.fail(violation("UTX-005", { outpoint }))
    }
  }
  return HOLDS
}

/**
 * The fees of a block so far are an amount of money.
 *
 * @spec UTX-006 #9f07f021
 */
export const feesAreInRange = (fees: Sats): Verdict<void, FeesOutOfRange> =>
  fees >= 0n && fees <= MAX_MONEY ? HOLDS : Result.fail(violation("UTX-006", { fees }))

/**
 * The signature operations of a block so far, with those of what it spends, cost at most the budget.
 *
 * @spec UTX-007 #b780ed97
 */
export const sigOpCostFitsBlock = (cost: number): Verdict<void, SigOpsOutOfBudget> =>
  cost <= MAX_BLOCK_SIGOPS_COST ? HOLDS : Result.fail(violation("UTX-007", { cost }))

/**
 * The coinbase pays at most the subsidy and the fees. Less is valid: what is not claimed never exists.
 *
 * @spec UTX-008 #77147803
 */
export const coinbasePaysAtMost = (paid: Sats, limit: Sats): Verdict<void, CoinbasePaysTooMuch> =>
  paid <= limit ? HOLDS : Result.fail(violation("UTX-008", { paid, limit }))
