import * as Result from "effect/Result"
import { compactSizeLength } from "../bytes/compact-size.ts"
import { MAX_BLOCK_SIGOPS_COST, MAX_BLOCK_WEIGHT, WITNESS_SCALE_FACTOR } from "../constants.ts"
import type { Block } from "../model/block.ts"
import { blockWeight, strippedSize } from "../model/weight.ts"
import { legacySigOps } from "../sigops/cost.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"

export type BlockLength = Violation<"BLK-004", { readonly transactions: number; readonly strippedSize: number }>
export type TooManySigOps = Violation<"BLK-008", { readonly cost: number }>
export type BlockTooHeavy = Violation<"BLK-014", { readonly weight: number }>

/**
 * A block has transactions, not more of them than could ever fit, and fits without its witnesses.
 *
 *     0 < n ≤ 10⁶,  4·stripped ≤ 4·10⁶
 *
 * @spec BLK-004 #8c76a620
 */
export const blockLength = (block: Block): Verdict<void, BlockLength> => {
  const transactions = block.transactions.length
  let size = 80 + compactSizeLength(transactions)
  for (const tx of block.transactions) size += strippedSize(tx)
  return transactions > 0 && transactions * WITNESS_SCALE_FACTOR <= MAX_BLOCK_WEIGHT &&
      size * WITNESS_SCALE_FACTOR <= MAX_BLOCK_WEIGHT
    ? HOLDS
    : Result.fail(violation("BLK-004", { transactions, strippedSize: size }))
}

/**
 * The signature operations in a block's own scripts fit its budget, whatever it spends.
 *
 * @spec BLK-008 #2814aa29
 */
export const legacySigOpsFitBlock = (block: Block): Verdict<void, TooManySigOps> => {
  let cost = 0
  for (const tx of block.transactions) cost += legacySigOps(tx) * WITNESS_SCALE_FACTOR
  return cost <= MAX_BLOCK_SIGOPS_COST ? HOLDS : Result.fail(violation("BLK-008", { cost }))
}

/**
 * A block weighs at most {@link MAX_BLOCK_WEIGHT}. Checked after the witness commitment: before that, anyone could have
 * added bytes to the witnesses.
 *
 * @spec BLK-014 #43535a42
 */
export const blockIsNotTooHeavy = (block: Block): Verdict<void, BlockTooHeavy> => {
  const weight = blockWeight(block)
  return weight <= MAX_BLOCK_WEIGHT ? HOLDS : Result.fail(violation("BLK-014", { weight }))
}
