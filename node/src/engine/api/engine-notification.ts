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
  /** 0 to 1. */
  readonly progress: number
  readonly cacheBytes: number
}

/** A transaction that a template or a generated block takes. */
export interface SelectedTransaction {
  readonly txid: Hash
  /** Satoshis, with what the operator added. */
  readonly modifiedFee: Sats
  readonly virtualSize: number
}

/** Why a block or a header was not taken. */
export type Refused =
  | { readonly what: "block" | "header"; readonly rejection: Rejection }
  | { readonly what: "too little work" }
  /** It is none. */
  | { readonly what: "bytes"; readonly bytes: number; readonly fault: MalformedBytes }

/** Transactions that left the mempool one after another for one reason. */
export interface RemovedTogether {
  readonly _tag: "TransactionsRemoved"
  /** One after another, 32 bytes each, in wire order. */
  readonly txids: Uint8Array
  readonly reason: string
  /** Of the first; that of each other is one above that of the one before. */
  readonly sequence: number
  /** The transactions that the mempool has then. */
  readonly size: number
  /** Whether replicas of the mempool follow it, and not modules alone. */
  readonly isFollowed: boolean
}

/** What a compact block is made of, beside the header: none has to read the block for it. */
export interface NewBlockContents {
  /** Its serialization. */
  readonly coinbase: Uint8Array
  /** The witness ids of all transactions, one after another; the coinbase's is zero. */
  readonly witnessIds: Uint8Array
}

/** Notifications of the engine, in the order in which things happened. */
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
  /** A block became the tip. Only where that is asked for. */
  | { readonly _tag: "Tip"; readonly tip: TipFigures }
  /** A block was disconnected: sent at once, before its transactions return to the mempool. */
  | { readonly _tag: "Disconnected"; readonly hash: Hash }
  /** A block or a header was not taken: by a rule, or since too little work is behind it. Only where that is asked for. */
  | { readonly _tag: "Refused"; readonly hash: Uint8Array; readonly why: Refused }
  /** Transactions were selected for a block, in this order. Only where that is asked for. */
  | { readonly _tag: "Selected"; readonly transactions: ReadonlyArray<SelectedTransaction> }
  /** How far a long task has come; `total` 0: unknown. */
  | { readonly _tag: "Progress"; readonly task: string; readonly done: number; readonly total: number }
  /**
   * What changed in the header index. Only for subscribers of the index, and before every notification that refers to
   * it.
   */
  | { readonly _tag: "Tree"; readonly update: HeaderIndexUpdate }
  /**
   * A block, by its index, was connected, or its connection was tried and failed. Only for subscribers of the header
   * index.
   */
  | { readonly _tag: "Judged"; readonly index: number; readonly rejection: Rejection | undefined }
  /**
   * A block, by its index, is on disk and about to become the tip: its proof of work and form are valid, its scripts are
   * not verified yet. Not in the initial download. Only for subscribers of the header index.
   */
  | {
    readonly _tag: "NewBlock"
    readonly index: number
    readonly place: FilePosition
    readonly contents: NewBlockContents | undefined
  }
  /** `isNew`: it was not there before, neither in a disconnected block nor in the file of a mempool. */
  | {
    readonly _tag: "TransactionAdded"
    readonly transaction: MempoolTransaction
    readonly isNew: boolean
    /** The mempool's sequence number of the addition: above that of the entry where others were replaced. */
    readonly sequence: number
  }
  | {
    readonly _tag: "TransactionRemoved"
    readonly txid: Hash
    readonly reason: string
    /** The mempool's sequence number of the removal. */
    readonly sequence: number
  }
  /** Many such at once, as one message costs more than its content: see `singleNotifications`. */
  | RemovedTogether
  /**
   * Sent before the events of a block that is the new tip, outside of the initial download and while there are
   * unconfirmed transactions. Behind the state of a tip that is reported early.
   */
  | { readonly _tag: "Confirmed"; readonly transactions: ConfirmedTransactions }
  /** The lowest rate, in satoshis for 1,000 virtual bytes, that the mempool accepts because of its size. */
  | { readonly _tag: "PoolRate"; readonly rate: number }
  /** A failure on disk after which going on would lose data: the node stops with this reason. */
  | { readonly _tag: "Fatal"; readonly message: string }
