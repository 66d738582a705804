import type { OutPoint } from "@lockstep/kernel/model/transaction.ts"
import type { UtxoView } from "@lockstep/kernel/utxo/coin.ts"
import type { Overlay } from "@lockstep/kernel/utxo/overlay.ts"
import type * as Effect from "effect/Effect"
import type { BatchWriter } from "../storage/key-value/key-value-store.ts"
import type { StorageError } from "../storage/storage-error.ts"

/** Says of coins that are not in memory whether they are somewhere else than in the store. */
export type IsElsewhere = (outpoint: OutPoint) => boolean

/**
 * The coins at the tip: a write-back cache outside the V8 heap over the store. `coinAt` looks into memory only, so whatever
 * a block may ask for is gathered first; an outpoint that was gathered and is not there does not exist.
 */
export interface CoinCache extends UtxoView {
  /**
   * Loads what is not in memory yet; it stays at least until the next commit. A coin that is created where nothing was
   * gathered is taken to be the first one there. `isElsewhere` is asked of what is not in memory: where it says so, the
   * store is not.
   */
  readonly gather: (outpoints: ReadonlyArray<OutPoint>, isElsewhere?: IsElsewhere) => Effect.Effect<void, StorageError>
  /** Whether the store may have a coin of this transaction: if not, there is nothing to gather of it. */
  readonly mayBeStored: (txid: Uint8Array) => boolean
  /**
   * Takes over the changes of an overlay that lies on this cache. Precondition: all it spends was gathered since the last
   * commit.
   */
  readonly apply: (overlay: Overlay) => void
  /** Puts all changes since the last commit into a batch, in key order; once more when the batch did not get through. */
  readonly writeChanges: (batch: BatchWriter) => void
  /**
   * The batch is in the store: changes are clean now, and cold coins may go. Precondition: nothing was changed after
   * `writeChanges`.
   */
  readonly committed: () => void
  /** Coins changed since the last commit. */
  readonly changes: () => number
  /** Bytes of memory taken. */
  readonly bytes: () => number
  /** Whether it is time to commit: memory is full, or a commit would take longer than a clean stop may. */
  readonly isFull: () => boolean
  /** Look-ups answered from memory, and those that went to the store. */
  readonly statistics: () => { readonly hits: number; readonly misses: number }
}
