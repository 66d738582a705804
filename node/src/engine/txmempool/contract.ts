import type { OutPoint, Transaction } from "@lockstep/kernel/model"
import type { Bytes, Hash, Height, Sats, UnixSeconds, Weight } from "@lockstep/kernel/quantities"
import type { ClusterLimits, Diagrams, FeeFrac, TxGraph, TxHandle } from "@lockstep/txgraph"

/**
 * The contract of the mempool's state: entries, the outpoints that they spend, their order and their memory. It judges
 * nothing, reads no clock and sends no notification; its functions return the changes. A handle is valid until its
 * entry is removed.
 */

/**
 * The height and time from which an entry's relative locks (BIP68) allow it into a block, and the block in which its
 * last input is confirmed.
 */
export interface LockPoints {
  readonly height: Height
  readonly time: UnixSeconds
  /** The block at the greatest height of a confirmed input. While it is in the chain, height and time are right. */
  readonly block: Hash
}

/** Facts of a transaction that is about to enter. */
export interface NewEntry {
  readonly tx: Transaction
  readonly txid: Hash
  readonly wtxid: Hash
  readonly fee: Sats
  readonly weight: Weight
  /** The weight that its fee is compared with; at least `weight`. */
  readonly adjustedWeight: Weight
  readonly sigOpCost: number
  readonly time: UnixSeconds
  /** Height of the tip when it enters. */
  readonly height: Height
  readonly locks: LockPoints
  readonly spendsCoinbase: boolean
}

/** Facts of an entry. Bytes and ids are copies. */
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
  /** The mempool's sequence number when it was staged; 0 if it came back from a disconnected block. */
  readonly sequence: number
  readonly locks: LockPoints
  readonly spendsCoinbase: boolean
}

/** Facts for a walk over all entries, without a copy of their bytes. */
export interface EntryFacts {
  readonly lockTime: number
  readonly locks: LockPoints
  readonly spendsCoinbase: boolean
}

/** The reason why an entry left, with Bitcoin Core's names. */
export type RemovalReason = "expiry" | "sizelimit" | "reorg" | "block" | "conflict" | "replaced"

/** A removed entry, with the sequence number of the removal. */
export interface Removed {
  readonly entry: Entry
  /** True if no peer had requested it yet. */
  readonly wasUnbroadcast: boolean
  readonly reason: RemovalReason
  readonly sequence: number
}

/** Transactions that would enter together, and entries that would leave for them. */
export interface Arrivals {
  /** New entries, parents before children. */
  readonly entries: ReadonlyArray<NewEntry>
  /** Entries that they conflict with. Their descendants leave as well. */
  readonly conflicts: ReadonlyArray<TxHandle>
  /** True if the transactions come back from a disconnected block. */
  readonly isReturning?: boolean
}

/** Entries that have entered, and those that have left for them. */
export interface Committed {
  readonly added: ReadonlyArray<TxHandle>
  readonly removed: ReadonlyArray<Removed>
}

/** Arrivals as the mempool would accept them. Valid until the mempool changes. */
export interface Staged {
  /** Entries that would leave, in wire order of their txids. */
  readonly removals: ReadonlyArray<TxHandle>
  /** Parents of each arrival among the entries. */
  readonly parents: ReadonlyArray<ReadonlyArray<TxHandle>>
  readonly modifiedFees: ReadonlyArray<Sats>
  /** Reports whether all clusters would be within the limits. */
  readonly fits: () => boolean
  /** Returns both feerate diagrams, or `undefined` if the change does not fit. */
  readonly diagrams: () => Diagrams | undefined
  /** Makes the change. Returns `undefined` and changes nothing if it does not fit. */
  readonly commit: () => Committed | undefined
}

/** Number of transactions, and sums of their virtual sizes and modified fees. */
export interface Relatives {
  readonly count: number
  readonly virtualSize: number
  readonly fees: Sats
}

/** A fee delta that the operator set. */
export interface Prioritised {
  readonly txid: Hash
  readonly delta: Sats
  /** The modified fee, if the transaction is in the mempool. */
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
  /** Memory that Bitcoin Core counts for such a mempool. */
  readonly usage: number
}

/** The read-only part of the graph of the entries. */
export type GraphView = Omit<TxGraph, "apply" | "remove" | "setFee" | "connect" | "work">

/** Options of a mempool. */
export interface TxMempoolOptions {
  readonly limits: ClusterLimits
  /** Maximum of {@link Totals} bytes after {@link TxMempool.trim}. */
  readonly maxBytes: number
  /** Maximum number of transactions after it; any number by default. */
  readonly maxCount?: number | undefined
  /** Incremental feerate in satoshis per 1,000 virtual bytes. */
  readonly incrementalFee: number
  /** Seed of its hash tables, drawn when the process starts. */
  readonly seed: number
  readonly now: UnixSeconds
}

/** Queries of the mempool. */
export interface MempoolQueries {
  readonly ofTxid: (txid: Uint8Array) => TxHandle | undefined
  readonly ofWtxid: (wtxid: Uint8Array) => TxHandle | undefined
  readonly spenderOf: (outpoint: OutPoint) => TxHandle | undefined
  readonly entry: (tx: TxHandle) => Entry
  /** Single facts of an entry. Bytes and ids are views that are valid until the mempool changes. */
  readonly bytes: (tx: TxHandle) => Uint8Array
  readonly txid: (tx: TxHandle) => Uint8Array
  readonly wtxid: (tx: TxHandle) => Uint8Array
  readonly fee: (tx: TxHandle) => Sats
  readonly weight: (tx: TxHandle) => Weight
  readonly sigOpCost: (tx: TxHandle) => number
  readonly transaction: (tx: TxHandle) => Transaction
  /** Single facts of an entry, for walks over all of them. */
  readonly facts: (tx: TxHandle) => EntryFacts
  /** Concatenated txids of entries. */
  readonly txids: (txs: Iterable<TxHandle>) => Uint8Array
  /** Parents and children of an entry in the mempool, in wire order of their txids. */
  readonly parents: (tx: TxHandle) => ReadonlyArray<TxHandle>
  readonly children: (tx: TxHandle) => ReadonlyArray<TxHandle>
  /** Sums over an entry and its ancestors, and over an entry and its descendants. */
  readonly ancestorSums: (tx: TxHandle) => Relatives
  readonly descendantSums: (tx: TxHandle) => Relatives
  /** Sums over these entries. */
  readonly sums: (txs: ReadonlyArray<TxHandle>) => Relatives
  /** A copy of an entry's id. */
  readonly txidOf: (tx: TxHandle) => Hash
  /** The fee delta of a transaction, which need not be in the mempool. */
  readonly deltaOf: (txid: Uint8Array) => Sats
  readonly chunkFeerate: (tx: TxHandle) => FeeFrac
  /** Cumulative sums over the chunks in mining order, starting at zero. */
  readonly feerateDiagram: () => ReadonlyArray<DiagramPoint>
  readonly graph: GraphView
  readonly compareTxids: (a: TxHandle, b: TxHandle) => number
  readonly totals: () => Totals
  /** Sequence number of the next event. */
  readonly sequence: () => number
  /**
   * Change counter for templates. It grows with every entry added or removed, every change of an entry's fee, and every
   * new tip.
   */
  readonly updates: () => number
}

/** Entries evicted from a full mempool. */
export interface Trimmed {
  readonly removed: ReadonlyArray<Removed>
  /** The minimum feerate after the eviction, in satoshis per 1,000 virtual bytes; 0 if nothing was evicted. */
  readonly minimum: number
}

/** The mempool's state. Everything is synchronous. */
export interface TxMempool extends MempoolQueries {
  /**
   * Stages arrivals. Preconditions: no entry has an id of an arrival, and only `conflicts` and their descendants
   * spend the same outpoints.
   */
  readonly stage: (arrivals: Arrivals) => Staged
  /** Takes the sequence number for the event of an added entry. */
  readonly takeSequence: () => number

  /** Removes a transaction with its descendants. If it is no entry, removes the entries that spend it. */
  readonly removeRecursive: (tx: Transaction, txid: Uint8Array, reason: RemovalReason) => ReadonlyArray<Removed>
  /**
   * Handles a block that became the tip: removes its transactions and those that conflict with them, with descendants.
   * Returns them in block order. `txids` are the concatenated ids of its transactions.
   */
  readonly blockConnected: (
    transactions: ReadonlyArray<Transaction>,
    txids: Uint8Array,
    now: UnixSeconds
  ) => ReadonlyArray<Removed>
  /** Records that the chain has another tip, because a block was connected or disconnected. */
  readonly tipChanged: () => void
  /** Connects returned transactions with the entries that spend them. Returns the entries that the cluster limits cut off. */
  readonly connectReturned: (returned: ReadonlyArray<TxHandle>) => ReadonlyArray<Removed>
  /** Removes the entries that a reorganization made invalid, with descendants. */
  readonly filter: (isInvalid: (tx: TxHandle) => boolean) => ReadonlyArray<Removed>
  readonly setLocks: (tx: TxHandle, locks: LockPoints) => void

  /** Removes entries that came before `cutoff`, with descendants. */
  readonly expire: (cutoff: UnixSeconds) => ReadonlyArray<Removed>
  /** Evicts the worst chunks until the mempool is within its limits. */
  readonly trim: () => Trimmed
  /**
   * Returns the minimum feerate because the mempool was full, in satoshis per 1,000 virtual bytes. It decays when it is
   * read, as in Bitcoin Core. So it may be read only where Bitcoin Core reads it.
   */
  readonly minimumFee: (now: UnixSeconds) => number
  /** Returns the same without changing it, for observers. */
  readonly foreseenMinimumFee: (now: UnixSeconds) => number

  /** Adds to the fee by which a transaction is ordered, even one that arrives later. */
  readonly prioritise: (txid: Uint8Array, delta: Sats) => void
  /** All fee deltas, in wire order of txids. */
  readonly prioritised: () => ReadonlyArray<Prioritised>

  /** Marks an entry that no peer is known to have. Returns whether the entry exists. */
  readonly markUnbroadcast: (txid: Uint8Array) => boolean
  readonly clearUnbroadcast: (txid: Uint8Array) => void
  readonly isUnbroadcast: (tx: TxHandle) => boolean
  /** Unbroadcast entries in wire order of txids. */
  readonly unbroadcast: () => ReadonlyArray<TxHandle>
}
