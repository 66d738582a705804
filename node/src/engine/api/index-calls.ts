import type { Hash, Height } from "@lockstep/kernel/quantities"
import type { OutPoint } from "@lockstep/kernel/model"
import type { FilePosition } from "../../storage/block-files/block-files.ts"
import type { Call } from "./call.ts"
import type { OutputCalls } from "./output-calls.ts"

/** The parts of a filter header (BIP157). */
export interface FilterHeader {
  readonly block: Hash
  /** Hash of the filter. */
  readonly filterHash: Hash
  readonly header: Hash
}

export interface BlockFilter extends FilterHeader {
  readonly filter: Uint8Array
}

export interface IndexState {
  readonly name: string
  readonly synced: boolean
  readonly bestBlockHeight: Height
  /** True if the next block to index, or the undo data of that block, was pruned. */
  readonly lacksBlocks: boolean
}

/** Position of a transaction that spends an output. */
interface Spender {
  readonly block: Hash
  readonly offset: number
  readonly size: number
}

/** Calls that the optional indexes serve. */
export interface IndexCalls extends OutputCalls {
  /** Position of a transaction, from the transaction index. */
  readonly transactionPlace: Call<
    { readonly txid: Hash },
    { readonly block: Hash; readonly position: FilePosition } | undefined,
    "IndexNotEnabled"
  >
  /** For each outpoint, the spending transaction of the active chain: its block, and its bytes within the block. */
  readonly outputSpenders: Call<
    { readonly outpoints: ReadonlyArray<OutPoint> },
    ReadonlyArray<Spender | undefined>,
    "IndexNotEnabled" | "IndexNotSynced"
  >
  /**
   * Filters of blocks from a height on, up to `stop` and in its chain, but at most `most` and a few megabytes. Returns
   * `undefined` if such a block is unknown or the index has not reached it.
   */
  readonly blockFilters: Call<
    { readonly from: Height; readonly stop: Hash; readonly most: number },
    ReadonlyArray<BlockFilter> | undefined,
    "IndexNotEnabled"
  >
  /** Filter headers of the blocks at these heights of the chain of `stop`; `undefined` as with `blockFilters`. */
  readonly filterHeaders: Call<
    { readonly heights: ReadonlyArray<Height>; readonly stop: Hash },
    ReadonlyArray<FilterHeader> | undefined,
    "IndexNotEnabled"
  >
  readonly indexes: Call<void, ReadonlyArray<IndexState>>
}
