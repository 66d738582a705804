import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type { FilePosition } from "../../storage/block-files/block-files.ts"
import type { Call } from "./call.ts"

/** The result for headers that were submitted in order. */
export interface AcceptedHeaders {
  /** Number of headers, from the first, that are in the header index now; some may have been there before. */
  readonly accepted: number
  /** The reason why the next header was rejected. */
  readonly rejection: Rejection | undefined
}

/** The result for a submitted block. A notification reports later whether it connects. */
export interface AcceptedBlock {
  readonly hash: Uint8Array
  /** True if it was not stored before and is now. */
  readonly isNew: boolean
  /** The reason why it is not stored. */
  readonly rejection: Rejection | undefined
}

/**
 * Contents of a block besides its coinbase, in wire order: concatenated ids of 32 bytes each, and the outpoints that it
 * spends, 36 bytes each.
 */
export interface ConfirmedTransactions {
  readonly txids: Uint8Array
  readonly wtxids: Uint8Array
  readonly spent: Uint8Array
}

/** Changes that bring a replica of the header index up to date. Replicas keep the order, so the indices are the same. */
export interface HeaderIndexUpdate {
  /** Index of the first header in `records`; each record is a header of 80 bytes and its hash of 32. */
  readonly from: number
  readonly records: Uint8Array
  /** Statuses of those headers, bits of `HeaderStatus`. */
  readonly statuses: Uint8Array
  /** Older headers whose status changed. */
  readonly touched: Uint32Array
  readonly touchedStatuses: Uint8Array
  readonly tip: number
  readonly bestHeader: number
}

/** One slice of the header index, for a new replica. */
export interface HeaderIndexSlice {
  readonly update: HeaderIndexUpdate
  /** Number of headers in the whole index at present. */
  readonly headers: number
  /** False if more follows from the end of this slice on. True if every later change is notified. */
  readonly isLast: boolean
}

/** Calls of the network layer about headers and blocks. */
export interface NetworkCalls {
  /** Accepts concatenated headers of 80 bytes each. The caller checks their work. */
  readonly acceptHeaders: Call<{ readonly headers: Uint8Array }, AcceptedHeaders>
  /**
   * Validates a block without its coins and stores it; it is connected after the answer. The engine takes ownership of
   * its bytes.
   */
  readonly acceptBlock: Call<{ readonly bytes: Uint8Array; readonly requested: boolean }, AcceptedBlock>
  /** Resolves once all blocks that were accepted before are connected and replicas were notified. */
  readonly blocksConnected: Call<void, void>
  /** Subscribes to the header index. A caller repeats the call from the end of the last slice until `isLast`. */
  readonly followTree: Call<{ readonly from: number }, HeaderIndexSlice>
  /** Positions of blocks by their indices in the header index; `undefined` for a block that is not stored. */
  readonly blockPlaces: Call<{ readonly indexes: Uint32Array }, ReadonlyArray<FilePosition | undefined>>
}
