import type { Call } from "./call.ts"
import type { AcceptedBlock } from "./network-calls.ts"

/** The transactions that a compact block lacks, or the reason why it cannot be used (BIP152). */
export type BegunBlock =
  | {
    readonly _tag: "Begun"
    /** Indexes of the missing transactions in the block, ascending. */
    readonly missing: ReadonlyArray<number>
    readonly prefilled: number
    /** Transactions found in the mempool or the extra pool, and how many of them came from the extra pool. */
    readonly found: number
    readonly extra: number
  }
  /** Two of its transactions share a short id. The peer is not misbehaving. */
  | { readonly _tag: "Collision" }
  /** No block can match it. The peer is misbehaving. */
  | { readonly _tag: "Impossible"; readonly why: string }
  /** The message cannot be decoded. */
  | { readonly _tag: "Malformed" }

/** Outcome of a block reconstruction. */
export type FilledBlock =
  | {
    readonly _tag: "Accepted"
    readonly block: AcceptedBlock
    /** Bytes of the transactions that were requested for it. */
    readonly requestedBytes: number
  }
  /** The result does not match its header, because of a short id collision or a false answer; or it was dropped before. */
  | { readonly _tag: "Failed" }
  /** The number of transactions differs from the number requested. */
  | { readonly _tag: "Impossible"; readonly why: string }
  | { readonly _tag: "Malformed" }

/** Calls of the network layer about compact blocks. The engine reconstructs them because it has the mempool. */
export interface CompactBlockCalls {
  /**
   * Begins to reconstruct a block under an id that the caller chose. The engine takes ownership of `payload`
   * (`cmpctblock`).
   */
  readonly beginCompactBlock: Call<{ readonly id: number; readonly payload: Uint8Array }, BegunBlock>
  /**
   * Fills the gaps with the transactions of `blocktxn` and accepts the block as a requested one. `payload` is
   * `undefined` if nothing was missing. Only a malformed payload leaves the reconstruction unchanged.
   */
  readonly fillCompactBlock: Call<{ readonly id: number; readonly payload: Uint8Array | undefined }, FilledBlock>
  /** Drops a reconstruction that is no longer needed. */
  readonly dropCompactBlock: Call<{ readonly id: number }, void>
}
