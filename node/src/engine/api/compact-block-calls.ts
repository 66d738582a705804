import type { Call } from "./call.ts"
import type { AcceptedBlock } from "./network-calls.ts"

/** What a compact block lacks, or why it cannot be used (BIP152). */
export type BegunBlock =
  | {
    readonly _tag: "Begun"
    /** Places of the transactions that are missing, ascending. */
    readonly missing: ReadonlyArray<number>
    readonly prefilled: number
    /** Found in the mempool or beside it, and how many of these beside it. */
    readonly found: number
    readonly extra: number
  }
  /** Two of its transactions have one short id: no peer is to blame. */
  | { readonly _tag: "Collision" }
  /** No block can be meant: the sender is to blame. */
  | { readonly _tag: "Impossible"; readonly why: string }
  /** It is no message at all. */
  | { readonly _tag: "Malformed" }

/** What became of a block that was put together. */
export type FilledBlock =
  | {
    readonly _tag: "Accepted"
    readonly block: AcceptedBlock
    /** Bytes of the transactions that were sent for it. */
    readonly requestedBytes: number
  }
  /** It is not the block of its header, by an unlucky short id or by a lie, or it was dropped before. */
  | { readonly _tag: "Failed" }
  /** Not as many transactions as were missing. */
  | { readonly _tag: "Impossible"; readonly why: string }
  | { readonly _tag: "Malformed" }

/** Calls of the network layer about compact blocks. They are put together where the mempool is. */
export interface CompactBlockCalls {
  /** Begins to put a block together under a number of the caller's. `payload`: of `cmpctblock`, the engine's from then on. */
  readonly beginCompactBlock: Call<{ readonly id: number; readonly payload: Uint8Array }, BegunBlock>
  /**
   * Fills the gaps with the transactions of `blocktxn`, or of nothing where there is no gap, and accepts the block as one
   * that was requested. Only a malformed payload leaves the block as it was.
   */
  readonly fillCompactBlock: Call<{ readonly id: number; readonly payload: Uint8Array | undefined }, FilledBlock>
  /** It is not wanted any more. */
  readonly dropCompactBlock: Call<{ readonly id: number }, void>
}
