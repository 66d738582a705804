import { LOCKTIME_THRESHOLD, SEQUENCE_FINAL } from "../constants.ts"
import type { Height, UnixSeconds } from "../quantities.ts"
import type { Transaction } from "../model/transaction.ts"

/**
 * Reports whether `tx` may be in a block of `height`: its lock time is before the block, or every input is final.
 *
 *     lockTime = 0 ∨ lockTime < (lockTime < 5·10⁸ ? height : cutoff) ∨ ∀i. sequence_i = 0xffffffff
 *
 * `cutoff` is the median time past of the parent where BIP113 is in force, otherwise the block's own time. Strictly
 * before: a lock time of the block's height is not yet final.
 *
 * @spec TXN-011 #f7873ed7
 */
export const isFinal = (tx: Transaction, height: Height, cutoff: UnixSeconds): boolean => {
  const { inputs, lockTime } = tx
  if (lockTime === 0 || lockTime < (lockTime < LOCKTIME_THRESHOLD ? height : cutoff)) return true
  for (const input of inputs) if (input.sequence !== SEQUENCE_FINAL) return false
  return true
}
