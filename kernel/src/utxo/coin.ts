import type { Height } from "../quantities.ts"
import type { OutPoint, TransactionOutput } from "../model/transaction.ts"

/** An output that exists, with the height of its block and whether that block's coinbase made it. */
export interface Coin extends TransactionOutput {
  readonly height: Height
  readonly isCoinbase: boolean
}

/** The coins a block or transaction is judged against: look-up, and nothing else. */
export interface UtxoView {
  readonly coinAt: (outpoint: OutPoint) => Coin | undefined
}

/** A coin and where it is found. */
export interface PlacedCoin {
  readonly outpoint: OutPoint
  readonly coin: Coin
}
