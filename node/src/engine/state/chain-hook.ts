import type { Block } from "@lockstep/kernel/model"
import type { BlockUndo } from "@lockstep/kernel/utxo"
import type * as Effect from "effect/Effect"
import type { BatchWriter } from "../../storage/key-value/key-value-store.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { ScriptPoolFailure } from "../script-pool/script-pool.ts"

/** A block that became the tip, or ceased to be the tip. */
export interface ChainStep {
  readonly node: HeaderIndexNode
  readonly block: Block
  /** Concatenated txids in wire order, 32 bytes each. */
  readonly transactionIds: Uint8Array
  /** The same for wtxids; the coinbase's is zero. Absent if they were not computed. */
  readonly witnessIds?: Uint8Array | undefined
  readonly undo: BlockUndo
}

/**
 * Follows the active chain and adds its own entries to every commit. Called on the engine's thread between its steps,
 * so nothing here may wait. If `writeChanges` throws, the commit does not happen.
 */
export interface ChainHook {
  readonly connected?: (step: ChainStep) => void
  /** Reports whether `connected` would do nothing at present. Then it need not be called. */
  readonly isIdle?: () => boolean
  readonly disconnected?: (step: ChainStep) => void
  /** Called when a block of the background chain was connected. It can be read from disk, with its undo data. */
  readonly connectedBehind?: () => void
  /**
   * Called after blocks were disconnected, in the same turn, with the tip that the chain has then. May wait, unlike the
   * rest. `comesBack` is true if the transactions of those blocks may return to the mempool; in a long rollback only
   * those of the first blocks do.
   */
  readonly reorganized?: (comesBack: boolean) => Effect.Effect<void, StorageError | ScriptPoolFailure>
  /** Writes the changes since the last commit into its batch. Called again if a batch is repeated after a full disk. */
  readonly writeChanges?: (batch: BatchWriter) => void
  /** Called when the batch is on disk. */
  readonly committed?: () => void
  /** Reports whether the uncommitted changes are so large that a commit is due, in the initial block download as well. */
  readonly isFull?: () => boolean
  /**
   * The lowest height whose block or undo data this hook has yet to read: pruning keeps it. `undefined` if it needs no
   * block.
   */
  readonly neededFrom?: () => number | undefined
}
