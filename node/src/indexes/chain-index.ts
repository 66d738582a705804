import type * as Effect from "effect/Effect"
import type { ChainStep } from "../engine/state/chain-hook.ts"
import type { HeaderIndexNode } from "../engine/header-index/header-index-node.ts"
import type { BatchWriter, KeyValueReader } from "../storage/key-value/key-value-store.ts"
import type { StorageError } from "../storage/storage-error.ts"

/**
 * An index: it finds more than the chain itself keeps. It is notified of connected blocks one on top of another from
 * the genesis block on, and of disconnected ones. Its entries wait in memory for the commit that they belong to.
 */
export interface ChainIndex {
  /** As `getindexinfo` names it. */
  readonly name: string
  readonly connected: (step: ChainStep) => void
  /** Of the block that was connected last. */
  readonly disconnected: (step: ChainStep) => void
  /** Puts the entries that changed since the last commit into a batch. */
  readonly writeChanges: (batch: BatchWriter) => void
  readonly committed: () => void
  /** Whether it is time to commit. */
  readonly isFull: () => boolean
  /** The state that the next block is added to, besides the entries. */
  readonly state: () => Uint8Array
  /** Restores a state; `false` when these bytes are none. */
  readonly restore: (state: Uint8Array) => boolean
  /** None: it can always go on at once. */
  readonly memory?: IndexMemory
}

/** What an index must have read from the store before a block can be connected to another. */
export interface IndexMemory {
  /** Whether it knows what a block on top of this one takes; none: the genesis block. */
  readonly has: (parent: HeaderIndexNode | undefined) => boolean
  readonly read: (parent: HeaderIndexNode, store: KeyValueReader) => Effect.Effect<void, StorageError>
}
