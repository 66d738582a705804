import type { OutPoint } from "@lockstep/kernel/model"
import type { Overlay, UtxoView } from "@lockstep/kernel/utxo"
import type * as Effect from "effect/Effect"
import type { BatchWriter } from "../storage/key-value/key-value-store.ts"
import type { StorageError } from "../storage/storage-error.ts"

/** Reports whether a coin that is not in memory is somewhere else than in the store. */
export type IsElsewhere = (outpoint: OutPoint) => boolean

/**
 * The coins cache: the coins at the tip in a write-back cache over the store, outside the V8 heap. `coinAt` reads
 * memory only, so the coins that a block may look up are prefetched first. A prefetched outpoint that is missing
 * afterwards does not exist.
 */
export interface CoinCache extends UtxoView {
  /**
   * Loads coins that are not in memory; they stay at least until the next commit. A coin created without a prefetch
   * counts as the first with its outpoint. `isElsewhere` is called for outpoints that are not in memory: if it returns
   * true, the store is not read.
   */
  readonly prefetchCoins: (
    outpoints: ReadonlyArray<OutPoint>,
    isElsewhere?: IsElsewhere
  ) => Effect.Effect<void, StorageError>
  /** Reports whether the store may have a coin of this transaction. If not, its outpoints need no prefetch. */
  readonly mayBeStored: (txid: Uint8Array) => boolean
  /**
   * Applies the changes of an overlay on this cache. Precondition: all coins that it spends were prefetched since the
   * last commit.
   */
  readonly apply: (overlay: Overlay) => void
  /** Flushes: writes all dirty coins since the last commit into a batch, in key order. Called again if the batch failed. */
  readonly writeChanges: (batch: BatchWriter) => void
  /**
   * Marks all dirty coins as clean, because the batch is in the store. The cache may evict now. Precondition: nothing
   * was changed after `writeChanges`.
   */
  readonly committed: () => void
  /** Number of dirty coins, those changed since the last commit. */
  readonly changes: () => number
  /** Bytes of memory used. */
  readonly bytes: () => number
  /** Reports whether the memory is full. */
  readonly isFull: () => boolean
  /** Counts of look-ups served from memory (hits) and from the store (misses). */
  readonly statistics: () => { readonly hits: number; readonly misses: number }
}
