import type { Hash, Height, Sats, UnixSeconds, Work } from "@lockstep/kernel/quantities"
import type { MalformedBytes } from "@lockstep/kernel/bytes"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type { NodeEvent } from "../../events/node-event.ts"
import type { FilePosition } from "../../storage/block-files/block-files.ts"
import type { ChainState } from "./chain-state.ts"
import type { MempoolTransaction } from "./mempool-calls.ts"
import type { ConfirmedTransactions, HeaderIndexUpdate } from "./network-calls.ts"

/** A block that became the tip, and the chain up to it. */
export interface TipFigures {
  readonly hash: Hash
  readonly height: Height
  readonly version: number
  readonly time: UnixSeconds
  readonly chainWork: Work
  readonly transactions: number
  /** Verification progress from 0 to 1. */
  readonly progress: number
  readonly cacheBytes: number
}

/** A transaction selected for a template or a generated block. */
export interface SelectedTransaction {
  readonly txid: Hash
  /** Satoshis, including the fee delta of the operator. */
  readonly modifiedFee: Sats
  readonly virtualSize: number
}

/** The reason why a block or a header was not accepted. */
export type Refused =
  | { readonly what: "block" | "header"; readonly rejection: Rejection }
  | { readonly what: "too little work" }
  /** The bytes cannot be decoded. */
  | { readonly what: "bytes"; readonly bytes: number; readonly fault: MalformedBytes }

/** Transactions that left the mempool one after another for one reason. */
export interface RemovedTogether {
  readonly _tag: "TransactionsRemoved"
  /** Txids in wire order, 32 bytes each, concatenated in order of removal. */
  readonly txids: Uint8Array
  readonly reason: string
  /** Sequence number of the first removal; each next one is one higher. */
  readonly sequence: number
  /** Size of the mempool after the removals, in transactions. */
  readonly size: number
  /** False if only modules follow the mempool, and no replica. */
  readonly isFollowed: boolean
}

/** Contents of a compact block beside the header, so that no reader has to load the block. */
export interface NewBlockContents {
  /** Serialization of the coinbase transaction. */
  readonly coinbase: Uint8Array
  /** The wtxids of all transactions, concatenated; the coinbase's is zero. */
  readonly witnessIds: Uint8Array
}

/** Notifications of the engine, in the order of the events. */
export type EngineNotification =
  | { readonly _tag: "State"; readonly state: ChainState }
  | { readonly _tag: "Event"; readonly event: NodeEvent }
  | {
    readonly _tag: "Log"
    readonly level: "debug" | "info" | "warn" | "error"
    readonly category: string
    readonly message: string
    readonly fields: Readonly<Record<string, string | number | boolean>>
  }
  /** A block became the tip. Sent only if requested. */
  | { readonly _tag: "Tip"; readonly tip: TipFigures }
  /** A block was disconnected. Sent at once, before its transactions return to the mempool. */
  | { readonly _tag: "Disconnected"; readonly hash: Hash }
  /** A block or a header was not accepted: it is invalid, or its chain has too little work. Sent only if requested. */
  | { readonly _tag: "Refused"; readonly hash: Uint8Array; readonly why: Refused }
  /** Transactions were selected for a block, in this order. Sent only if requested. */
  | { readonly _tag: "Selected"; readonly transactions: ReadonlyArray<SelectedTransaction> }
  /** Progress of a long task; `total` is 0 if unknown. */
  | { readonly _tag: "Progress"; readonly task: string; readonly done: number; readonly total: number }
  /** Changes of the header index. Sent only to subscribers of the index, before every notification that refers to them. */
  | { readonly _tag: "Tree"; readonly update: HeaderIndexUpdate }
  /** A block, by its index, was connected or failed to connect. Sent only to subscribers of the header index. */
  | { readonly _tag: "Judged"; readonly index: number; readonly rejection: Rejection | undefined }
  /**
   * A block, by its index, is on disk and about to become the tip. Its proof of work and form are valid; its scripts
   * are not verified yet. Sent only to subscribers of the header index, and not in the initial block download.
   */
  | {
    readonly _tag: "NewBlock"
    readonly index: number
    readonly place: FilePosition
    readonly contents: NewBlockContents | undefined
  }
  /** `isNew` is true if the transaction came neither from a disconnected block nor from a mempool file. */
  | {
    readonly _tag: "TransactionAdded"
    readonly transaction: MempoolTransaction
    readonly isNew: boolean
    /** The mempool's sequence number of the addition. It is above that of the entry if others were replaced. */
    readonly sequence: number
  }
  | {
    readonly _tag: "TransactionRemoved"
    readonly txid: Hash
    readonly reason: string
    /** The mempool's sequence number of the removal. */
    readonly sequence: number
  }
  /** Many removals in one message, because a message costs more than its content. See `singleNotifications`. */
  | RemovedTogether
  /**
   * Sent before the events of a block that is the new tip, after the state of a tip that is reported early. Not sent in
   * the initial block download or while the mempool is empty.
   */
  | { readonly _tag: "Confirmed"; readonly transactions: ConfirmedTransactions }
  /** The minimum feerate of the mempool because of its size, in satoshis per 1,000 virtual bytes. */
  | { readonly _tag: "PoolRate"; readonly rate: number }
  /** A disk failure after which continuing would lose data. The node stops with this reason. */
  | { readonly _tag: "Fatal"; readonly message: string }
