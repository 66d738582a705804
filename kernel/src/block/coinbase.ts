import * as Result from "effect/Result"
import { encodeScriptNumber } from "../interpreter/script-number.ts"
import { Opcode } from "../script/opcode.ts"
import type { Block } from "../model/block.ts"
import type { Height } from "../quantities.ts"
import { isCoinbase } from "../model/transaction.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"

export type CoinbaseMissing = Violation<"BLK-005", null>
export type CoinbaseRepeated = Violation<"BLK-006", { readonly transaction: number }>
export type WrongCoinbaseHeight = Violation<"BLK-010", { readonly height: Height }>

/**
 * The first transaction is a coinbase.
 *
 * @spec BLK-005 #a5793df5
 */
export const firstIsCoinbase = (block: Block): Verdict<void, CoinbaseMissing> => {
  const first = block.transactions[0]
  return first !== undefined && isCoinbase(first) ? HOLDS : Result.fail(violation("BLK-005", null))
}

/**
 * No other transaction is one.
 *
 * @spec BLK-006 #af158527
 */
export const onlyFirstIsCoinbase = (block: Block): Verdict<void, CoinbaseRepeated> => {
  for (let i = 1; i < block.transactions.length; i++) {
    if (isCoinbase(block.transactions[i]!)) return Result.fail(violation("BLK-006", { transaction: i }))
  }
  return HOLDS
}

/** The shortest instruction that pushes `height`: a small integer or a number with its length. */
const heightPush = (height: Height): Uint8Array => {
  if (height === 0) return Uint8Array.of(Opcode.OP_0)
  if (height <= 16) return Uint8Array.of(Opcode.OP_1 + height - 1)
  const number = encodeScriptNumber(height)
  const push = new Uint8Array(number.length + 1)
  push[0] = number.length
  push.set(number, 1)
  return push
}

/**
 * The coinbase script starts with the push of the block's height (BIP34), so that no two coinbases are the same.
 * Precondition: BLK-005; the deployment is in force at `height`.
 *
 * @spec BLK-010 #08c9c35c
 */
export const coinbaseStartsWithHeight = (block: Block, height: Height): Verdict<void, WrongCoinbaseHeight> => {
  const { script } = block.transactions[0]!.inputs[0]!
  const expected = heightPush(height)
  for (let i = 0; i < expected.length; i++) {
    if (script[i] !== expected[i]) return Result.fail(violation("BLK-010", { height }))
  }
  return HOLDS
}
