import type { Coin } from "@lockstep/kernel/internal/utxo/coin.ts"
import type { BlockUndo } from "@lockstep/kernel/internal/utxo/undo.ts"
import type { Field } from "../formats/field.ts"
import { hexOf } from "../formats/hex.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import { satoshisOf } from "./amount.ts"

const judgeCoin = (what: string, prevout: Field, coin: Coin | undefined): Outcome => {
  if (coin === undefined) return { expected: `${what} spends a coin`, actual: "no coin in the undo data" }
  return same(`${what}, made by a coinbase`, prevout.get("generated").boolean, coin.isCoinbase) ??
    same(`${what}, height`, prevout.get("height").integer, coin.height) ??
    same(`${what}, value`, satoshisOf(prevout.get("value").number), coin.value) ??
    same(`${what}, script`, prevout.get("scriptPubKey").get("hex").text, hexOf(coin.script))
}

const judgeTransaction = (tx: Field, number: number, coins: ReadonlyArray<Coin> | undefined): Outcome => {
  const inputs = tx.get("vin").items
  for (const [i, input] of inputs.entries()) {
    const outcome = judgeCoin(`transaction ${number}, input ${i}`, input.get("prevout"), coins?.[i])
    if (outcome !== undefined) return outcome
  }
  if (coins === undefined) return { expected: `undo data of transaction ${number}`, actual: "none" }
  const fee = coins.reduce((sum, { value }) => sum + value, 0n) -
    tx.get("vout").items.reduce((sum, output) => sum + satoshisOf(output.get("value").number), 0n)
  return same(`coins of transaction ${number}`, inputs.length, coins.length) ??
    same(`fee of transaction ${number}`, satoshisOf(tx.get("fee").number), fee)
}

/** Compares undo data with the transactions of a `getblock` answer that names what they spend. */
export const judgeUndo = (block: Field, undo: BlockUndo): Outcome => {
  const [, ...transactions] = block.get("tx").items
  for (const [i, tx] of transactions.entries()) {
    const outcome = judgeTransaction(tx, i + 1, undo.spent[i])
    if (outcome !== undefined) return outcome
  }
  return same("transactions in the undo data", transactions.length, undo.spent.length)
}
