import type { Hash, Height } from "../quantities.ts"
import type { OutPoint, Transaction } from "../model/transaction.ts"
import type { Coin, PlacedCoin, UtxoView } from "./coin.ts"
import { addEntry, entryAt, outPointTable, type OutPointTable } from "./outpoint-table.ts"
import { isUnspendable } from "./spendable.ts"

/** The change at one outpoint: the coin before and after; `undefined` if no coin existed, or exists. */
export interface CoinChange {
  readonly before: Coin | undefined
  after: Coin | undefined
}

/** A view with changes on top of it, which it collects and never writes through. */
export interface Overlay extends UtxoView {
  readonly changes: OutPointTable<CoinChange>
  readonly base: UtxoView
}

/** An empty overlay on `base`; `seed` as in {@link outPointTable}. */
export const overlayOn = (base: UtxoView, expected: number, seed: number): Overlay => {
  const changes = outPointTable<CoinChange>(expected, seed)
  return {
    base,
    changes,
    coinAt: (outpoint) => {
      const entry = entryAt(changes, outpoint)
      return entry < 0 ? base.coinAt(outpoint) : changes.values[entry]!.after
    }
  }
}

/**
 * Puts `after` at `outpoint` and returns the coin before. `known` is that coin, if the caller has just looked it up.
 */
export const changeCoin = (
  overlay: Overlay,
  outpoint: OutPoint,
  after: Coin | undefined,
  known?: Coin
): Coin | undefined => {
  const entry = entryAt(overlay.changes, outpoint)
  if (entry < 0) {
    const before = known ?? overlay.base.coinAt(outpoint)
    addEntry(overlay.changes, outpoint, { before, after })
    return before
  }
  const change = overlay.changes.values[entry]!
  const was = change.after
  change.after = after
  return was
}

/** The outpoint of output `vout` of the transaction with id `txid`. @internal */
export const outPointOf = (txid: Uint8Array, vout: number): OutPoint => ({ txid, vout })

/**
 * {@link applyTransaction} for a caller that has just looked up the coins that `tx` spends, in input order. The view
 * below, which may have to make coins out of bytes, is not asked for them again. @internal
 */
export const applySpending = (
  overlay: Overlay,
  tx: Transaction,
  txid: Uint8Array,
  height: Height,
  isCoinbase: boolean,
  spent: ReadonlyArray<Coin>
): ReadonlyArray<PlacedCoin> => {
  if (!isCoinbase) {
    for (let i = 0; i < tx.inputs.length; i++) changeCoin(overlay, tx.inputs[i]!.prevout, undefined, spent[i])
  }
  const replaced: Array<PlacedCoin> = []
  for (let vout = 0; vout < tx.outputs.length; vout++) {
    const { script, value } = tx.outputs[vout]!
    if (isUnspendable(script)) continue
    const outpoint = outPointOf(txid, vout)
    const before = changeCoin(overlay, outpoint, { value, script, height, isCoinbase })
    if (before !== undefined) replaced.push({ outpoint, coin: before })
  }
  return replaced
}

/**
 * Removes the coins that `tx` spends and adds those that it creates, in a block of `height`. Yields the coins that its
 * outputs replaced, which exist only under BIP30's exceptions.
 *
 * Unspendable outputs are not added. Precondition: TXI-001.
 *
 * @spec UTX-002 #8676e54b
 */
export const applyTransaction = (
  overlay: Overlay,
  tx: Transaction,
  txid: Hash,
  height: Height,
  isCoinbase: boolean
): ReadonlyArray<PlacedCoin> => applySpending(overlay, tx, txid, height, isCoinbase, [])
