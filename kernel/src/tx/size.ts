import * as Result from "effect/Result"
import {
  MAX_BLOCK_WEIGHT,
  MAX_COINBASE_SCRIPT_SIZE,
  MIN_COINBASE_SCRIPT_SIZE,
  WITNESS_SCALE_FACTOR
} from "../constants.ts"
import type { Transaction } from "../model/transaction.ts"
import { strippedSize } from "../model/weight.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"

export type Oversize = Violation<"TXN-003", { readonly strippedSize: number }>
export type CoinbaseScriptSize = Violation<"TXN-008", { readonly size: number }>

/**
 * Without its witness a transaction fits a block. Its size has no other limit.
 *
 *     4·stripped ≤ 4,000,000
 *
 * @spec TXN-003 #3e4c45a4
 */
export const strippedSizeFitsBlock = (tx: Transaction): Verdict<void, Oversize> => {
  const size = strippedSize(tx)
  return size * WITNESS_SCALE_FACTOR <= MAX_BLOCK_WEIGHT
    ? HOLDS
    : Result.fail(violation("TXN-003", { strippedSize: size }))
}

/**
 * The script of a coinbase has 2 to 100 bytes. Precondition: `tx` is a coinbase.
 *
 * @spec TXN-008 #e55018fe
 */
export const coinbaseScriptSize = (tx: Transaction): Verdict<void, CoinbaseScriptSize> => {
  const size = tx.inputs[0]!.script.length
  return size >= MIN_COINBASE_SCRIPT_SIZE && size <= MAX_COINBASE_SCRIPT_SIZE
    ? HOLDS
    : Result.fail(violation("TXN-008", { size }))
}
