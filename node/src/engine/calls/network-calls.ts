import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type { FilePosition } from "../../storage/block-files/block-files.ts"

/** What became of headers that were given to the engine in order. */
export interface AcceptedHeaders {
  /** How many of them, from the first, are in the tree now; some may have been there before. */
  readonly accepted: number
  /** Why the next one is not. */
  readonly rejection: Rejection | undefined
}

/** What became of a block that was given to the engine; whether it connects comes later, as news. */
export interface AcceptedBlock {
  readonly hash: Uint8Array
  /** It was not here before and is stored now. */
  readonly isNew: boolean
  /** Why it is not stored. */
  readonly rejection: Rejection | undefined
}

/** A transaction of the pool. Ids in wire order. */
export interface PoolTransaction {
  readonly txid: Uint8Array
  readonly wtxid: Uint8Array
  readonly bytes: Uint8Array
  /** Satoshis. */
  readonly fee: bigint
  readonly virtualSize: number
}

/**
 * What a block holds besides its coinbase: ids one after another, 32 bytes each, and the outpoints that it spends, 36 bytes each.
 * Wire order.
 */
export interface ConfirmedTransactions {
  readonly txids: Uint8Array
  readonly wtxids: Uint8Array
  readonly spent: Uint8Array
}

/** What became of a transaction that was given to the engine. */
export type AcceptedTransaction =
  | { readonly _tag: "Accepted"; readonly transaction: PoolTransaction }
  /** `isConfirmed`: it is not in the pool, but in a block. */
  | { readonly _tag: "Known"; readonly isConfirmed?: boolean }
  /** Outputs that it spends are not known: an orphan, for now. `parents` are their txids. */
  | { readonly _tag: "MissingInputs"; readonly parents: ReadonlyArray<Uint8Array> }
  /** `isConsensus`: no block could hold it; else it is just not wanted. */
  | { readonly _tag: "Refused"; readonly reason: string; readonly isConsensus: boolean; readonly details?: string }

/** What a copy of the header tree lacks. Copies are made in order of index, so that indices are the same. */
export interface TreeUpdate {
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

/** One piece of the tree as it is when somebody begins to follow it. */
export interface TreeSlice {
  readonly update: TreeUpdate
  /** Headers in the whole tree, so far. */
  readonly headers: number
  /** False: there is more, from the end of this one on. True: from now on whatever changes is told. */
  readonly isLast: boolean
}

/** Calls of the network layer. */
export interface NetworkCalls {
  /** Headers of 80 bytes one after another. Work is not looked at: that is the caller's care. */
  readonly acceptHeaders: { readonly in: { readonly headers: Uint8Array }; readonly out: AcceptedHeaders }
  /** Judges a block without its coins and stores it. It is connected after the answer. Its bytes are the engine's from then on. */
  readonly acceptBlock: { readonly in: { readonly bytes: Uint8Array; readonly requested: boolean }; readonly out: AcceptedBlock }
  /** Begins to follow the header tree; asked again and again, from where the last piece ended, until that was the last one. */
  readonly followTree: { readonly in: { readonly from: number }; readonly out: TreeSlice }
  /** Where blocks are, by their indexes in the tree; none: not here. */
  readonly blockPlaces: {
    readonly in: { readonly indexes: Uint32Array }
    readonly out: ReadonlyArray<FilePosition | undefined>
  }
  /** Judges a loose transaction as part of the next block, and keeps it, unless it pays more satoshis for 1,000 virtual bytes. */
  readonly acceptTransaction: {
    readonly in: { readonly bytes: Uint8Array; readonly mostRate?: number }
    readonly out: AcceptedTransaction
  }
  /** Ids of all transactions of the pool. */
  readonly poolIds: { readonly in: void; readonly out: ReadonlyArray<Uint8Array> }
  /** All of the pool; whoever follows the header tree is told of what changes. */
  readonly followPool: { readonly in: void; readonly out: ReadonlyArray<PoolTransaction> }
}
