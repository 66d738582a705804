import type { Height } from "@lockstep/kernel/quantities"
import type { Call } from "./call.ts"

/** Calls about the block files. */
export interface MaintenanceCalls {
  /** Verifies at a level from 0 to 4; `blocks` is 0 for all. Fails with a disk fault, never silently. */
  readonly verifyChain: Call<
    { readonly level: number; readonly blocks: number },
    {
      readonly valid: boolean
      readonly problem: string | undefined
      /** True if no checked block has a fault, even if not all could be checked. */
      readonly isSound: boolean
      /** The reason for stopping early: the height of the block that is not on disk, or the memory for coins. */
      readonly limit:
        | { readonly what: "no block data"; readonly height: Height }
        | { readonly what: "memory" }
        | undefined
      /** Transactions of the blocks that were disconnected, from level 3 on. */
      readonly transactions: number
    }
  >
  /** Returns the height of the last pruned block. */
  readonly pruneTo: Call<{ readonly height: Height }, Height, "PruningDisabled" | "ChainTooShortToPrune">
  /**
   * Imports block files, XORed or not, with their blocks in any order. Without paths it waits for the block files that
   * are read in place, in a rebuild or from Bitcoin Core's directory.
   */
  readonly importFiles: Call<
    { readonly paths: ReadonlyArray<string> },
    { readonly blocks: number; readonly waiting: number; readonly withoutBlocks: ReadonlyArray<string> }
  >
}
