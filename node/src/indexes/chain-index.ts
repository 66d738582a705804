import type { ChainStep } from "../engine/chain-hook.ts"
import type { BatchWriter } from "../storage/key-value/key-value-store.ts"

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
}
