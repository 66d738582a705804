import type { Block } from "@lockstep/kernel/model"
import type { BlockUndo } from "@lockstep/kernel/utxo"
import type * as Effect from "effect/Effect"
import type { BatchWriter } from "../../storage/key-value/key-value-store.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { ScriptPoolFailure } from "../script-pool/script-pool.ts"

/** A block that became the tip, or was it. */
export interface ChainStep {
  readonly node: HeaderIndexNode
  readonly block: Block
  /** One after another, 32 bytes each, in wire order. */
  readonly transactionIds: Uint8Array
  /** The same of witness ids; the coinbase's is zero. None: they were not computed. */
  readonly witnessIds?: Uint8Array | undefined
  readonly undo: BlockUndo
}

/**
 * Follows the active chain, and has its own entries in every commit. Called on the engine's thread between its steps,
 * so nothing here may wait. When `writeChanges` throws the commit does not happen.
 */
export interface ChainHook {
  readonly connected?: (step: ChainStep) => void
  /** Whether `connected` would do nothing at present: then it need not be called. */
  readonly isIdle?: () => boolean
  readonly disconnected?: (step: ChainStep) => void
  /** A block behind a snapshot was connected: it can be read from disk, with its undo data. */
  readonly connectedBehind?: () => void
  /**
   * After blocks were disconnected, in the same turn, with the tip that the chain has then. May wait, unlike the rest.
   * `comesBack`: whether what those blocks held is wanted again; in a long way down only that of the first blocks is.
   */
  readonly reorganized?: (comesBack: boolean) => Effect.Effect<void, StorageError | ScriptPoolFailure>
  /** Puts what changed since the last commit into its batch; again, when a batch is tried again after a full disk. */
  readonly writeChanges?: (batch: BatchWriter) => void
  /** The batch is on disk. */
  readonly committed?: () => void
  /**
   * Whether the changes that wait for a commit have grown so large that one is due, in the initial download as well.
   */
  readonly isFull?: () => boolean
  /**
   * The lowest height whose block or undo data this hook has yet to read: pruning keeps it. None: it needs no block.
   */
  readonly neededFrom?: () => number | undefined
}
