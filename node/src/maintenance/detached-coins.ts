import type { OutPoint } from "@lockstep/kernel/model"
import { addEntry, type Coin, entryAt, outPointTable, type Overlay, type UtxoView } from "@lockstep/kernel/utxo"

/** Approximate memory of a changed coin without its script. */
const ENTRY_BYTES = 250

/** A set of coins with changes that are never written. */
export interface DetachedCoins extends UtxoView {
  /** Applies the changes of an overlay on these coins. */
  readonly apply: (overlay: Overlay) => void
  /** Approximate bytes of memory that the changes use. */
  readonly bytes: () => number
  /** Returns those of `outpoints` that have not been changed and are read from the base. */
  readonly unchanged: (outpoints: ReadonlyArray<OutPoint>) => ReadonlyArray<OutPoint>
}

/** Makes coins on top of `base`; `seed` as in `outPointTable`. */
export const detachedCoins = (base: UtxoView, seed: number): DetachedCoins => {
  const table = outPointTable<Coin | undefined>(1024, seed)
  let scripts = 0

  const put = (outpoint: OutPoint, coin: Coin | undefined): void => {
    const entry = entryAt(table, outpoint)
    scripts += coin?.script.length ?? 0
    if (entry < 0) {
      addEntry(table, outpoint, coin)
      return
    }
    scripts -= table.values[entry]?.script.length ?? 0
    table.values[entry] = coin
  }

  return {
    coinAt: (outpoint) => {
      const entry = entryAt(table, outpoint)
      return entry < 0 ? base.coinAt(outpoint) : table.values[entry]
    },
    apply: ({ changes }) => {
      for (let i = 0; i < changes.values.length; i++) put(changes.outpoints[i]!, changes.values[i]!.after)
    },
    bytes: () => table.values.length * ENTRY_BYTES + scripts,
    unchanged: (outpoints) => outpoints.filter((outpoint) => entryAt(table, outpoint) < 0)
  }
}
