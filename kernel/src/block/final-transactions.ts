import * as Result from "effect/Result"
import type { Block } from "../model/block.ts"
import type { Height, UnixSeconds } from "../quantities.ts"
import { isFinal } from "../tx/lock-time.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"

export type NotFinal = Violation<"BLK-009", { readonly transaction: number }>

/**
 * Every transaction of a block is final (TXN-011), the coinbase too. `cutoff` is the median time past of the parent
 * where BIP113 is in force, otherwise the block's time.
 *
 * @spec BLK-009 #5b20c7af
 */
export const transactionsAreFinal = (block: Block, height: Height, cutoff: UnixSeconds): Verdict<void, NotFinal> => {
  for (let i = 0; i < block.transactions.length; i++) {
    if (!isFinal(block.transactions[i]!, height, cutoff)) return Result.fail(violation("BLK-009", { transaction: i }))
  }
  return HOLDS
}
