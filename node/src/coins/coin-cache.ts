import type { OutPoint } from "@lockstep/kernel/model"
import type { Overlay, UtxoView } from "@lockstep/kernel/utxo"
import type * as Effect from "effect/Effect"
import type { BatchWriter } from "../storage/key-value/key-value-store.ts"
import type { StorageError } from "../storage/storage-error.ts"

/** Whether a coin that is not in memory is somewhere else than in the store. */
export type IsElsewhere = (outpoint: OutPoint) => boolean

/**
 * The coins cache: the coins at the tip in a write-back cache over the store, outside the V8 heap. `coinAt` looks into
 * memory only, so the coins that a block may ask for are prefetched first. An outpoint that was prefetched and is not
 * there does not exist.
 */
export interface CoinCache extends UtxoView {
  /**
   * Loads what is not in memory yet; it stays at least until the next commit. A coin that is created where nothing was
   * prefetched counts as the first one there. `isElsewhere` is asked about what is not in memory: where it answers
   * true, the store is not read.
   */
  readonly prefetchCoins: (
    outpoints: ReadonlyArray<OutPoint>,
    isElsewhere?: IsElsewhere
  ) => Effect.Effect<void, StorageError>
  /** Whether the store may have a coin of this transaction. If not, there is nothing to prefetch of it. */
  readonly mayBeStored: (txid: Uint8Array) => boolean
  /**
   * Applies the changes of an overlay on this cache. Precondition: all coins it spends were prefetched since the last
   * commit.
   */
  readonly apply: (overlay: Overlay) => void
  /**
   * Flushes: puts all dirty coins since the last commit into a batch, in key order; once more when the batch failed.
   */
  readonly writeChanges: (batch: BatchWriter) => void
  /**
   * The batch is in the store: dirty coins are clean now, and the cache may evict. Precondition: nothing was changed
   * after `writeChanges`.
   */
  readonly committed: () => void
  /** Dirty coins: those changed since the last commit. */
  readonly changes: () => number
  /** Bytes of memory taken. */
  readonly bytes: () => number
  /** Bytes of memory in use. */
  readonly isFull: () => boolean
  /** Look-ups answered from memory (hits), and those that went to the store (misses). */
  readonly statistics: () => { readonly hits: number; readonly misses: number }
}
