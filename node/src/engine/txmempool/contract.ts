import type { OutPoint, Transaction } from "@lockstep/kernel/model"
import type { Bytes, Hash, Height, Sats, UnixSeconds, Weight } from "@lockstep/kernel/quantities"
import type { ClusterLimits, Diagrams, FeeFrac, TxGraph, TxHandle } from "@lockstep/txgraph"

/**
 * The contract of the mempool's state: entries, what they spend, their order and their room. It judges nothing, reads
 * no clock and sends no notification: what happened, it answers. A handle is good until its entry is removed.
 */

/** When an entry's relative locks (BIP68) let it into a block, and the block up to which its inputs are confirmed. */
export interface LockPoints {
  readonly height: Height
  readonly time: UnixSeconds
  /** The block at the greatest height of a confirmed input: while it is in the chain, height and time are right. */
  readonly block: Hash
}

/** What is known of a transaction that is about to enter. */
export interface NewEntry {
  readonly tx: Transaction
  readonly txid: Hash
  readonly wtxid: Hash
  readonly fee: Sats
  readonly weight: Weight
  /** The weight it is charged for, at least `weight`. */
  readonly adjustedWeight: Weight
  readonly sigOpCost: number
  readonly time: UnixSeconds
  /** Height of the tip when it enters. */
  readonly height: Height
  readonly locks: LockPoints
  readonly spendsCoinbase: boolean
}

/** What is known of an entry. Bytes and ids are copies. */
export interface Entry {
  readonly txid: Hash
  readonly wtxid: Hash
  readonly bytes: Bytes
  readonly fee: Sats
  readonly modifiedFee: Sats
  readonly weight: Weight
  readonly virtualSize: number
  readonly sigOpCost: number
  readonly time: UnixSeconds
  readonly height: Height
  /** The mempool's sequence number when it was staged; 0 for one that came back from a disconnected block. */
  readonly sequence: number
  readonly locks: LockPoints
  readonly spendsCoinbase: boolean
}

/** What a walk over all entries asks of each, without a copy of its bytes. */
export interface EntryFacts {
  readonly lockTime: number
  readonly locks: LockPoints
  readonly spendsCoinbase: boolean
}

/** Why an entry left, in Bitcoin Core's words. */
export type RemovalReason = "expiry" | "sizelimit" | "reorg" | "block" | "conflict" | "replaced"

/** An entry that left, with the sequence number of this event. */
export interface Removed {
  readonly entry: Entry
  /** Whether no peer had asked for it yet. */
  readonly wasUnbroadcast: boolean
  readonly reason: RemovalReason
  readonly sequence: number
}

/** Transactions that would enter together, and entries that leave for them. */
export interface Arrivals {
  /** Parents before children. */
  readonly entries: ReadonlyArray<NewEntry>
  /** Entries that they conflict with; descendants leave as well. */
  readonly conflicts: ReadonlyArray<TxHandle>
  /** Whether they come back from a disconnected block. */
  readonly isReturning?: boolean
}

/** Entries that have entered, and those that have left for them. */
export interface Committed {
  readonly added: ReadonlyArray<TxHandle>
  readonly removed: ReadonlyArray<Removed>
}

/** Arrivals as the mempool would take them. Good until the mempool changes. */
export interface Staged {
  /** Entries that would leave, in raw order of their txids. */
  readonly removals: ReadonlyArray<TxHandle>
  /** Parents of each arrival among the entries. */
  readonly parents: ReadonlyArray<ReadonlyArray<TxHandle>>
  readonly modifiedFees: ReadonlyArray<Sats>
  /** Whether all clusters would be within the limits. */
  readonly fits: () => boolean
  /** Both feerate diagrams; undefined if it does not fit. */
  readonly diagrams: () => Diagrams | undefined
  /** Makes the change; undefined (nothing done) if it does not fit. */
  readonly commit: () => Committed | undefined
}

/** Number of transactions, and sums of their virtual sizes and modified fees. */
export interface Relatives {
  readonly count: number
  readonly virtualSize: number
  readonly fees: Sats
}

/** An amount by which the operator changed the fee of a transaction. */
export interface Prioritised {
  readonly txid: Hash
  readonly delta: Sats
  /** Its modified fee, if it is in the mempool. */
  readonly modifiedFee: Sats | undefined
}

/** A point of the feerate diagram: sums over the chunks up to here. */
export interface DiagramPoint {
  readonly weight: Weight
  readonly fee: Sats
}

/** Size and value of all entries. */
export interface Totals {
  readonly count: number
  readonly virtualSize: number
  readonly fees: Sats
  /** Bytes that Bitcoin Core counts for such a mempool. */
  readonly usage: number
}

/** The graph of the entries, to be read. */
export type GraphView = Omit<TxGraph, "apply" | "remove" | "setFee" | "connect" | "work">

/** How a mempool is made. */
export interface TxMempoolOptions {
  readonly limits: ClusterLimits
  /** Bytes by {@link Totals} that it may have after {@link TxMempool.trim}. */
  readonly maxBytes: number
  /** Transactions that it may have after it; none: any number. */
  readonly maxCount?: number | undefined
  /** Satoshi per 1,000 virtual bytes. */
  readonly incrementalFee: number
  /** Drawn when the process starts, for its hash tables. */
  readonly seed: number
  readonly now: UnixSeconds
}

/** What can be asked of the mempool. */
export interface MempoolQueries {
  readonly ofTxid: (txid: Uint8Array) => TxHandle | undefined
  readonly ofWtxid: (wtxid: Uint8Array) => TxHandle | undefined
  readonly spenderOf: (outpoint: OutPoint) => TxHandle | undefined
  readonly entry: (tx: TxHandle) => Entry
  /** Single facts of an entry. Bytes and ids are views that are good until the mempool changes. */
  readonly bytes: (tx: TxHandle) => Uint8Array
  readonly txid: (tx: TxHandle) => Uint8Array
  readonly wtxid: (tx: TxHandle) => Uint8Array
  readonly fee: (tx: TxHandle) => Sats
  readonly weight: (tx: TxHandle) => Weight
  readonly sigOpCost: (tx: TxHandle) => number
  readonly transaction: (tx: TxHandle) => Transaction
  /** Single facts of an entry, for walks over all of them. */
  readonly facts: (tx: TxHandle) => EntryFacts
  /** Txids of entries, one after another. */
  readonly txids: (txs: Iterable<TxHandle>) => Uint8Array
  /** Entries whose outputs this one spends, and entries that spend its own: raw order of txids. */
  readonly parents: (tx: TxHandle) => ReadonlyArray<TxHandle>
  readonly children: (tx: TxHandle) => ReadonlyArray<TxHandle>
  /** Sums over an entry and its ancestors, and over an entry and its descendants. */
  readonly ancestorSums: (tx: TxHandle) => Relatives
  readonly descendantSums: (tx: TxHandle) => Relatives
  /** Sums over these entries. */
  readonly sums: (txs: ReadonlyArray<TxHandle>) => Relatives
  /** A copy of an entry's id. */
  readonly txidOf: (tx: TxHandle) => Hash
  /** What the operator added to the fee of a transaction, which need not be here. */
  readonly deltaOf: (txid: Uint8Array) => Sats
  readonly chunkFeerate: (tx: TxHandle) => FeeFrac
  /** Cumulative over the chunks in mining order, from nothing on. */
  readonly feerateDiagram: () => ReadonlyArray<DiagramPoint>
  readonly graph: GraphView
  readonly compareTxids: (a: TxHandle, b: TxHandle) => number
  readonly totals: () => Totals
  /** The next event's number. */
  readonly sequence: () => number
  /** Grows with every entry added or removed, every change of an entry's fee, and every new tip: templates get old by it. */
  readonly updates: () => number
}

/** What left a mempool that was too full. */
export interface Trimmed {
  readonly removed: ReadonlyArray<Removed>
  /** Satoshi per 1,000 virtual bytes that the evicted chunks raise the minimum fee to; 0: none was evicted. */
  readonly minimum: number
}

/** The mempool's state. Everything is synchronous. */
export interface TxMempool extends MempoolQueries {
  /** Precondition: no entry has the id of an arrival, and none but `conflicts` and their descendants spends what it spends. */
  readonly stage: (arrivals: Arrivals) => Staged
  /** Takes the number for the event that an entry was added. */
  readonly takeSequence: () => number

  /** Removes a transaction with its descendants; of one that is no entry, the entries that spend it. */
  readonly removeRecursive: (tx: Transaction, txid: Uint8Array, reason: RemovalReason) => ReadonlyArray<Removed>
  /**
   * A block became the tip: its transactions leave, and what conflicts with them, with descendants. Answers in the order
   * of the block; `txids` are the ids of its transactions in one array.
   */
  readonly blockConnected: (
    transactions: ReadonlyArray<Transaction>,
    txids: Uint8Array,
    now: UnixSeconds
  ) => ReadonlyArray<Removed>
  /** The chain has another tip: a block was connected or disconnected. */
  readonly tipChanged: () => void
  /** Connects returned transactions with entries that spend them; answers what the cluster limits cut off. */
  readonly connectReturned: (returned: ReadonlyArray<TxHandle>) => ReadonlyArray<Removed>
  /** After a reorganization: removes the entries that `isInvalid`, with descendants. */
  readonly filter: (isInvalid: (tx: TxHandle) => boolean) => ReadonlyArray<Removed>
  readonly setLocks: (tx: TxHandle, locks: LockPoints) => void

  /** Removes entries that came before `cutoff`, with descendants. */
  readonly expire: (cutoff: UnixSeconds) => ReadonlyArray<Removed>
  /** Removes the worst chunks until there is room. */
  readonly trim: () => Trimmed
  /**
   * The fee that the mempool asks for because it was full: satoshi per 1,000 virtual bytes. It decays when it is asked
   * for, as in Bitcoin Core: only what asks there may ask here.
   */
  readonly minimumFee: (now: UnixSeconds) => number
  /** The same for those who only observe. */
  readonly foreseenMinimumFee: (now: UnixSeconds) => number

  /** Adds to the fee by which a transaction is ordered, also of one that comes later. */
  readonly prioritise: (txid: Uint8Array, delta: Sats) => void
  /** All such amounts, in raw order of txids. */
  readonly prioritised: () => ReadonlyArray<Prioritised>

  /** Marks an entry that no peer is known to have; answers whether it is there. */
  readonly markUnbroadcast: (txid: Uint8Array) => boolean
  readonly clearUnbroadcast: (txid: Uint8Array) => void
  readonly isUnbroadcast: (tx: TxHandle) => boolean
  /** In raw order of txids. */
  readonly unbroadcast: () => ReadonlyArray<TxHandle>
}
