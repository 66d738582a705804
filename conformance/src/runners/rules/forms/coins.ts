import type { OutPoint } from "@lockstep/kernel/internal/model/transaction.ts"
import type { Coin, PlacedCoin, UtxoView } from "@lockstep/kernel/internal/utxo/coin.ts"
import type { Overlay } from "@lockstep/kernel/internal/utxo/overlay.ts"
import type { BlockUndo } from "@lockstep/kernel/internal/utxo/undo.ts"
import type { Field } from "../../../formats/field.ts"
import { hexOf } from "../../../formats/hex.ts"
import { hashOf } from "./hash.ts"
import { outputIn } from "./transactions.ts"

/** `{value, scriptPubKey?, height, isCoinbase?}` */
export const coinIn = (field: Field): Coin => ({
  ...outputIn(field),
  height: field.get("height").integer,
  isCoinbase: field.find("isCoinbase")?.boolean ?? false
})

export const coinsIn = (field: Field): ReadonlyArray<Coin> => field.items.map(coinIn)

/** `{txid, vout?}` */
export const outPointIn = (field: Field): OutPoint => ({
  txid: hashOf(field.get("txid")),
  vout: field.find("vout")?.integer ?? 0
})

/** Coins with where they are found: `[{txid, vout?, value, …}…]`. */
export const placedCoinsIn = (field: Field): ReadonlyArray<PlacedCoin> =>
  field.items.map((item) => ({ outpoint: outPointIn(item), coin: coinIn(item) }))

const keyOf = ({ txid, vout }: OutPoint): string => `${hexOf(txid)}:${vout}`

/** Placed coins as a view. */
export const viewIn = (field: Field): UtxoView => {
  const coins = new Map(placedCoinsIn(field).map(({ outpoint, coin }) => [keyOf(outpoint), coin]))
  return { coinAt: (outpoint) => coins.get(keyOf(outpoint)) }
}

/** `{spent: [[coin…]…], replaced?: [placed coin…]}` */
export const undoIn = (field: Field): BlockUndo => ({
  spent: field.get("spent").items.map(coinsIn),
  replaced: placedCoinsIn(field.find("replaced") ?? field.replaced([]))
})

/** A placed coin in one object, as cases write it. */
export const plainPlacedCoin = ({ outpoint, coin }: PlacedCoin): unknown => ({ ...outpoint, ...coin })

/** Every outpoint that differs from the view below, in the order of the first change, with the coin there now. */
export const plainChanges = ({ changes }: Overlay): unknown =>
  changes.outpoints.map((outpoint, i) => ({ ...outpoint, coin: changes.values[i]!.after }))
