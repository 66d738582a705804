import type * as Effect from "effect/Effect"
import type { ChainStep } from "../engine/chain-hook.ts"
import type { TreeNode } from "../engine/header-tree/tree-node.ts"
import type { BatchWriter, KeyValueReader } from "../storage/key-value/key-value-store.ts"
import type { StorageError } from "../storage/storage-error.ts"

/**
 * Something that is looked up by more than the chain itself keeps. It is told of blocks one on top of another from the
 * genesis block on, and of those that are taken off again; its entries wait in memory for the commit that they belong to.
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
  /** What the next block is added to, besides the entries. */
  readonly state: () => Uint8Array
  /** Takes up a state; `false` when these bytes are none. */
  readonly restore: (state: Uint8Array) => boolean
  /** None: it can always go on at once. */
  readonly memory?: IndexMemory
}

/** What an index must have read from the store before a block can be connected to another. */
export interface IndexMemory {
  /** Whether it knows what a block on top of this one takes; none: the genesis block. */
  readonly has: (parent: TreeNode | undefined) => boolean
  readonly read: (parent: TreeNode, store: KeyValueReader) => Effect.Effect<void, StorageError>
}
