import type { Coin, PlacedCoin } from "@lockstep/kernel/utxo"
import type { OutPoint } from "@lockstep/kernel/model"
import { coinKey, outPointOfKey } from "./coin-key.ts"

/** Coins that differ from those in the store, by their keys. */
export interface ChangedCoins {
  /** Sets a coin; `undefined` if it does not exist. */
  readonly set: (outpoint: OutPoint, coin: Coin | undefined) => void
  readonly size: () => number
  /**
   * Merges a coin of the store, called in key order, with the changes. Returns the coins up to it; one that no longer
   * exists is omitted.
   */
  readonly merged: (key: Uint8Array, coin: Coin) => ReadonlyArray<PlacedCoin>
  /** Returns the coins after all those of the store. */
  readonly rest: () => ReadonlyArray<PlacedCoin>
}

const textOf = (key: Uint8Array): string => Buffer.from(key).toString("latin1")

const placed = (text: string, coin: Coin): PlacedCoin => ({
  outpoint: outPointOfKey(new Uint8Array(Buffer.from(text, "latin1"))),
  coin
})

/** Makes a set of changes. `merged` is called for every coin of the store in order, after all changes were made. */
export const changedCoins = (): ChangedCoins => {
  const changes = new Map<string, Coin | undefined>()
  let order: ReadonlyArray<string> | undefined
  let at = 0

  const before = (end: string | undefined): Array<PlacedCoin> => {
    order ??= [...changes.keys()].sort((a, b) => a < b ? -1 : 1)
    const found: Array<PlacedCoin> = []
    const isBefore = (text: string | undefined): boolean => text !== undefined && (end === undefined || text < end)
    while (isBefore(order[at])) {
      const text = order[at++]!
      const coin = changes.get(text)
      if (coin !== undefined) found.push(placed(text, coin))
    }
    return found
  }

  return {
    set: (outpoint, coin) => void changes.set(textOf(coinKey(outpoint)), coin),
    size: () => changes.size,
    merged: (key, coin) => {
      const text = textOf(key)
      const found = before(text)
      // A changed coin is among those before the next key.
      if (!changes.has(text)) found.push({ outpoint: outPointOfKey(key), coin })
      return found
    },
    rest: () => before(undefined)
  }
}
