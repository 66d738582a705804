import type * as Effect from "effect/Effect"
import type { ChainStep } from "../engine/state/chain-hook.ts"
import type { HeaderIndexNode } from "../engine/header-index/header-index-node.ts"
import type { BatchWriter, KeyValueReader } from "../storage/key-value/key-value-store.ts"
import type { StorageError } from "../storage/storage-error.ts"

/**
 * An index over the chain. It is notified of connected blocks, one on top of another from the genesis block on, and of
 * disconnected ones. Its entries wait in memory for the commit that they belong to.
 */
export interface ChainIndex {
  /** The name in `getindexinfo`. */
  readonly name: string
  readonly connected: (step: ChainStep) => void
  /** Called for the block that was connected last. */
  readonly disconnected: (step: ChainStep) => void
  /** Writes the entries that changed since the last commit into a batch. */
  readonly writeChanges: (batch: BatchWriter) => void
  readonly committed: () => void
  /** Reports whether a commit is due. */
  readonly isFull: () => boolean
  /** Returns the state that the next block is added to, besides the entries. */
  readonly state: () => Uint8Array
  /** Restores a state. Returns false for invalid bytes. */
  readonly restore: (state: Uint8Array) => boolean
  /** Absent if it can always continue at once. */
  readonly memory?: IndexMemory
}

/** State that an index must have read from the store before a block can be connected. */
export interface IndexMemory {
  /** Reports whether it has the state for a block on top of `parent`; `undefined` for the genesis block. */
  readonly has: (parent: HeaderIndexNode | undefined) => boolean
  readonly read: (parent: HeaderIndexNode, store: KeyValueReader) => Effect.Effect<void, StorageError>
}
