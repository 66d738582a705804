import type { CoinCache } from "./coin-cache.ts"

/** A coins cache that can be replaced while others hold it. */
export interface SwitchedCoins extends CoinCache {
  /** Replaces the cache. Precondition: the old one has no changes. */
  readonly switchTo: (cache: CoinCache) => void
}

/** Makes a cache that delegates to `first` until it is replaced. */
export const switchedCoins = (first: CoinCache): SwitchedCoins => {
  let cache = first
  return {
    coinAt: (outpoint) => cache.coinAt(outpoint),
    prefetchCoins: (outpoints, isElsewhere) => cache.prefetchCoins(outpoints, isElsewhere),
    mayBeStored: (txid) => cache.mayBeStored(txid),
    apply: (overlay) => cache.apply(overlay),
    writeChanges: (batch) => cache.writeChanges(batch),
    committed: () => cache.committed(),
    changes: () => cache.changes(),
    bytes: () => cache.bytes(),
    isFull: () => cache.isFull(),
    statistics: () => cache.statistics(),
    switchTo: (next) => {
      cache = next
    }
  }
}
