import * as Result from "effect/Result"
import { bytesEqual } from "../bytes/equal.ts"
import type { Block } from "../model/block.ts"
import type { Bytes, Height } from "../quantities.ts"
import type { OutPoint, TransactionOutput } from "../model/transaction.ts"
import type { Verdict, Violation } from "../verdict.ts"
import { violation } from "../verdict.ts"
import type { Coin, PlacedCoin, UtxoView } from "./coin.ts"
import { changeCoin, type Overlay, outPointOf, overlayOn } from "./overlay.ts"
import { isUnspendable } from "./spendable.ts"

/**
 * Data to disconnect a block exactly: the coins that each transaction except the coinbase spent, in input order. To
 * these come the coins that outputs replaced; only the two blocks that repeat a coinbase have any.
 */
export interface BlockUndo {
  readonly spent: ReadonlyArray<ReadonlyArray<Coin>>
  readonly replaced: ReadonlyArray<PlacedCoin>
}

/** The undo data do not fit the block, or the view is not the one the block left: our fault, never the block's. */
export type CannotDisconnect = Violation<"UTX-003", { readonly outpoint: OutPoint | undefined }>

const cannotDisconnect = (outpoint: OutPoint | undefined): Verdict<Overlay, CannotDisconnect> =>
  Result.fail(violation("UTX-003", { outpoint }))

const isCreated = (found: Coin | undefined, output: TransactionOutput, height: Height, isCoinbase: boolean): boolean =>
  found !== undefined && found.value === output.value && found.height === height && found.isCoinbase === isCoinbase &&
  bytesEqual(found.script, output.script)

const removeOutputs = (
  overlay: Overlay,
  block: Block,
  index: number,
  txid: Uint8Array,
  height: Height
): OutPoint | undefined => {
  const { outputs } = block.transactions[index]!
  for (let vout = 0; vout < outputs.length; vout++) {
    const output = outputs[vout]!
    if (isUnspendable(output.script)) continue
    const outpoint = outPointOf(txid, vout)
    if (!isCreated(changeCoin(overlay, outpoint, undefined), output, height, index === 0)) return outpoint
  }
  return undefined
}

const restoreInputs = (
  overlay: Overlay,
  block: Block,
  index: number,
  spent: ReadonlyArray<Coin>
): OutPoint | undefined => {
  const { inputs } = block.transactions[index]!
  for (let i = inputs.length - 1; i >= 0; i--) {
    const { prevout } = inputs[i]!
    if (changeCoin(overlay, prevout, spent[i]!) !== undefined) return prevout
  }
  return undefined
}

/**
 * Takes a block off the chain: the state before it was connected, exactly, as changes on top of `view`.
 *
 *     disconnect(connect(state, block)) = state
 *
 * Transactions go from last to first: outputs are removed before the coins they were made of come back. Coins that the
 * block had overwritten come back as well. Preconditions: `ids` are the block's transaction ids one after another; no
 * transaction spends a prevout twice (TXN-007).
 *
 * @spec UTX-003 #aec742b1
 */
export const disconnectBlock = (
  block: Block,
  ids: Bytes,
  height: Height,
  undo: BlockUndo,
  view: UtxoView,
  seed: number
): Verdict<Overlay, CannotDisconnect> => {
  const overlay = overlayOn(view, block.transactions.length * 4, seed)
  if (undo.spent.length + 1 !== block.transactions.length) return cannotDisconnect(undefined)
  for (let i = block.transactions.length - 1; i >= 0; i--) {
    const missing = removeOutputs(overlay, block, i, ids.subarray(i * 32, i * 32 + 32), height)
    if (missing !== undefined) return cannotDisconnect(missing)
    if (i === 0) break
    const spent = undo.spent[i - 1]!
    if (spent.length !== block.transactions[i]!.inputs.length) return cannotDisconnect(undefined)
    const wrong = restoreInputs(overlay, block, i, spent)
    if (wrong !== undefined) return cannotDisconnect(wrong)
  }
  for (const { coin, outpoint } of undo.replaced) changeCoin(overlay, outpoint, coin)
  return Result.succeed(overlay)
}
