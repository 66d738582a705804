import type { Height } from "@lockstep/kernel/quantities"
import type { Call } from "./call.ts"

/** Calls about the block files. */
export interface MaintenanceCalls {
  /** Levels 0 to 4; `blocks` 0: all. Fails with a defect of the disk, never silently. */
  readonly verifyChain: Call<
    { readonly level: number; readonly blocks: number },
    {
      readonly valid: boolean
      readonly problem: string | undefined
      /** Whether nothing is wrong with what was looked at, be it all or not. */
      readonly isSound: boolean
      /** What kept it from looking at all: the block, by its height, that is not on disk, or the memory for coins. */
      readonly limit:
        | { readonly what: "no block data"; readonly height: Height }
        | { readonly what: "memory" }
        | undefined
      /** Transactions of the blocks that were disconnected, from level 3 on. */
      readonly transactions: number
    }
  >
  /** Answers the height of the last block that is gone. */
  readonly pruneTo: Call<{ readonly height: Height }, Height, "PruningDisabled" | "ChainTooShortToPrune">
  /**
   * Imports block files in any order of blocks; bytes, XORed or not. Without paths: waits until the blocks of the files
   * that are read in place, in a rebuild or from Bitcoin Core's directory, are accepted.
   */
  readonly importFiles: Call<
    { readonly paths: ReadonlyArray<string> },
    { readonly blocks: number; readonly waiting: number; readonly withoutBlocks: ReadonlyArray<string> }
  >
}
