/** Coins, what a block does to them, and how it is undone. */
export type { Coin, PlacedCoin, UtxoView } from "./utxo/coin.ts"
export { addEntry, entryAt, outPointTable, type OutPointTable } from "./utxo/outpoint-table.ts"
export { changeCoin, type Overlay, overlayOn } from "./utxo/overlay.ts"
export { isUnspendable } from "./utxo/spendable.ts"
export { type BlockUndo, disconnectBlock } from "./utxo/undo.ts"
