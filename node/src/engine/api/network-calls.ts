import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type { FilePosition } from "../../storage/block-files/block-files.ts"
import type { Call } from "./call.ts"

/** The result for headers that were given to the engine in order. */
export interface AcceptedHeaders {
  /** How many of them, from the first, are in the header index now; some may have been there before. */
  readonly accepted: number
  /** Why the next one is not. */
  readonly rejection: Rejection | undefined
}

/** The result for a block that was given to the engine. Whether it connects follows in a notification. */
export interface AcceptedBlock {
  readonly hash: Uint8Array
  /** It was not here before and is stored now. */
  readonly isNew: boolean
  /** Why it is not stored. */
  readonly rejection: Rejection | undefined
}

/**
 * What a block holds besides its coinbase: ids one after another, 32 bytes each, and the outpoints that it spends, 36
 * bytes each. Wire order.
 */
export interface ConfirmedTransactions {
  readonly txids: Uint8Array
  readonly wtxids: Uint8Array
  readonly spent: Uint8Array
}

/**
 * The difference between a replica of the header index and the index. Replicas keep the order, so that indices are the
 * same.
 */
export interface HeaderIndexUpdate {
  /** Index of the first header in `records`: each 80 bytes of header and 32 of its hash. */
  readonly from: number
  readonly records: Uint8Array
  /** Of those headers, bits of `HeaderStatus`. */
  readonly statuses: Uint8Array
  /** Headers that are there and have another status now. */
  readonly touched: Uint32Array
  readonly touchedStatuses: Uint8Array
  readonly tip: number
  readonly bestHeader: number
}

/** One piece of the header index, for a replica that begins. */
export interface HeaderIndexSlice {
  readonly update: HeaderIndexUpdate
  /** Headers in the whole index, so far. */
  readonly headers: number
  /** False: more follows, from the end of this piece on. True: from now on every change is notified. */
  readonly isLast: boolean
}

/** Calls of the network layer about headers and blocks. */
export interface NetworkCalls {
  /** Headers of 80 bytes one after another. The caller checks their work. */
  readonly acceptHeaders: Call<{ readonly headers: Uint8Array }, AcceptedHeaders>
  /**
   * Validates a block without its coins and stores it. It is connected after the answer. Its bytes are the engine's
   * from then on.
   */
  readonly acceptBlock: Call<{ readonly bytes: Uint8Array; readonly requested: boolean }, AcceptedBlock>
  /** Answers when blocks that were accepted before and wait to be connected are connected, and seen by all. */
  readonly blocksConnected: Call<void, void>
  /**
   * Subscribes to the header index. Called repeatedly, each time from where the last piece ended, until the last one.
   */
  readonly followTree: Call<{ readonly from: number }, HeaderIndexSlice>
  /** Where blocks are, by their indices in the header index; none: not here. */
  readonly blockPlaces: Call<{ readonly indexes: Uint32Array }, ReadonlyArray<FilePosition | undefined>>
}
