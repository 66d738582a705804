import type { Hash, Height } from "@lockstep/kernel/quantities"
import type { OutPoint } from "@lockstep/kernel/model"
import type { FilePosition } from "../../storage/block-files/block-files.ts"
import type { Call } from "./call.ts"
import type { OutputCalls } from "./output-calls.ts"

/** What the filter headers (BIP157) of a chain consist of. */
export interface FilterHeader {
  readonly block: Hash
  /** Of the filter. */
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
  /** Whether the block that comes next for it, or what that block spent, was pruned. */
  readonly lacksBlocks: boolean
}

/** The place of a transaction that spends an output. */
interface Spender {
  readonly block: Hash
  readonly offset: number
  readonly size: number
}

/** Calls that the optional indexes answer. */
export interface IndexCalls extends OutputCalls {
  /** Where the index found a transaction. */
  readonly transactionPlace: Call<
    { readonly txid: Hash },
    { readonly block: Hash; readonly position: FilePosition } | undefined,
    "IndexNotEnabled"
  >
  /** For each outpoint, the transaction of the active chain that spends it: its block, and which bytes of that. */
  readonly outputSpenders: Call<
    { readonly outpoints: ReadonlyArray<OutPoint> },
    ReadonlyArray<Spender | undefined>,
    "IndexNotEnabled" | "IndexNotSynced"
  >
  /**
   * The filters of blocks from a height on, up to `stop` and in its chain, but no more than `most` and a few megabytes. None: such a block is not known, or the index has not come to it.
   */
  readonly blockFilters: Call<
    { readonly from: Height; readonly stop: Hash; readonly most: number },
    ReadonlyArray<BlockFilter> | undefined,
    "IndexNotEnabled"
  >
  /** The filter headers of the blocks at these heights of the chain of `stop`. None: as with `blockFilters`. */
  readonly filterHeaders: Call<
    { readonly heights: ReadonlyArray<Height>; readonly stop: Hash },
    ReadonlyArray<FilterHeader> | undefined,
    "IndexNotEnabled"
  >
  readonly indexes: Call<void, ReadonlyArray<IndexState>>
}
