import type { Height, Sats, Weight } from "@lockstep/kernel/quantities"
import type { FeeRate } from "@lockstep/kernel/relay"
import type { RelayRejection } from "@lockstep/protocol/rejection/relay-rejection.ts"
import type { UnixSeconds } from "../../quantities.ts"
import type { Call } from "./call.ts"

/** A transaction of the mempool, as sent to a replica. Ids are in wire order. */
export interface MempoolTransaction {
  readonly txid: Uint8Array
  readonly wtxid: Uint8Array
  readonly bytes: Uint8Array
  /** Satoshis, without the fee delta of the operator. */
  readonly fee: Sats
  /** Virtual size from the sigop-adjusted weight. */
  readonly virtualSize: number
  /** The mempool's sequence number of its entry; 0 if it came back from a disconnected block. */
  readonly sequence: number
}

/**
 * Outcome of a transaction that was submitted to the mempool.
 *
 * - `Accepted`: it is in the mempool now, or would be if this were no test. `feerate` is the one that it was judged by:
 *   its own, or that of the package transactions in `feerateOf` (wtxids).
 * - `InMempool`: it was in the mempool before. `OtherWitness`: it is in the mempool with another witness.
 * - `Rejected`: `missing` are the txids of its unknown parents.
 */
export type TransactionOutcome =
  | {
    readonly _tag: "Accepted"
    readonly txid: Uint8Array
    readonly wtxid: Uint8Array
    readonly fee: Sats
    readonly weight: Weight
    readonly virtualSize: number
    readonly feerate: FeeRate
    readonly feerateOf: ReadonlyArray<Uint8Array>
    /** Entries that it replaced, in wire order of their txids. */
    readonly replaced: ReadonlyArray<{ readonly txid: Uint8Array; readonly bytes: Uint8Array }>
  }
  | {
    readonly _tag: "InMempool"
    readonly txid: Uint8Array
    readonly wtxid: Uint8Array
    readonly fee: Sats
    readonly virtualSize: number
  }
  | {
    readonly _tag: "OtherWitness"
    readonly txid: Uint8Array
    readonly wtxid: Uint8Array
    readonly inMempool: Uint8Array
  }
  | {
    readonly _tag: "Rejected"
    readonly txid: Uint8Array
    readonly wtxid: Uint8Array
    readonly rejection: Omit<RelayRejection, "rule">
    readonly missing: ReadonlyArray<Uint8Array>
  }

/** "first sight" for a transaction that has just arrived; "again" for an orphan whose parents may be known now. */
export type TransactionOrigin = "first sight" | "again"

/** Required shape of a package; `ancestor package` is a transaction with ancestors that need not be its parents (BIP331). */
export type PackageShape = "child with parents" | "ancestor package"

/** Outcome of a submitted package. */
export interface PackageOutcome {
  /**
   * The reason why the package as a whole failed, if it did. `isPolicy` is true if its shape or the whole package
   * failed, and not one of its transactions.
   */
  readonly failure:
    | { readonly reason: string; readonly debug: string | undefined; readonly isPolicy: boolean }
    | undefined
  /** Outcomes of its transactions, in order; `undefined` for a transaction that was not judged. */
  readonly outcomes: ReadonlyArray<TransactionOutcome | undefined>
}

/** Calls that submit transactions to the mempool. The engine takes ownership of the bytes (with witness). */
export interface AcceptanceCalls {
  /** `origin` is absent for a transaction of the node's own user. */
  readonly acceptTransaction: Call<
    { readonly bytes: Uint8Array; readonly origin?: TransactionOrigin | undefined },
    TransactionOutcome,
    "Undecodable"
  >
  /** Returns the outcome that {@link acceptTransaction} would have. It changes nothing and sends no notification. */
  readonly testTransaction: Call<{ readonly bytes: Uint8Array }, TransactionOutcome, "Undecodable">
  /** The last transaction is the child; before it come parents or, if `shape` allows that, other ancestors. */
  readonly acceptPackage: Call<
    {
      readonly transactions: ReadonlyArray<Uint8Array>
      readonly maxFeerate?: FeeRate | undefined
      readonly shape?: PackageShape | undefined
    },
    PackageOutcome,
    "Undecodable"
  >
  readonly testPackage: Call<{ readonly transactions: ReadonlyArray<Uint8Array> }, PackageOutcome, "Undecodable">
}

/** Settings and usage of the mempool. Feerates are in satoshis per 1,000 virtual bytes. */
export interface MempoolFacts {
  /** True once the mempool file of the last run has been read. */
  readonly loaded: boolean
  readonly count: number
  readonly virtualSize: number
  readonly usage: number
  readonly fees: Sats
  readonly maxBytes: number
  /** The minimum feerate because the mempool was full; 0 if it was not. */
  readonly rollingMinimum: number
  readonly minRelayFee: Sats
  readonly incrementalRelayFee: Sats
  readonly unbroadcast: number
  readonly permitBareMultisig: boolean
  readonly dataCarrierBytes: number
  readonly clusterCount: number
  /** Maximum size of a cluster in virtual bytes. */
  readonly clusterSize: number
  readonly isOptimal: boolean
  /** True if a transaction that does not signal replaceability may be replaced. */
  readonly replacesUnsignalled: boolean
}

/** Sums over an entry and its ancestors or descendants. */
export interface RelativeSums {
  readonly count: number
  readonly virtualSize: number
  readonly fees: Sats
}

/** Facts of an entry besides its bytes. */
export interface MempoolEntryFacts {
  readonly txid: Uint8Array
  readonly wtxid: Uint8Array
  readonly weight: Weight
  readonly virtualSize: number
  readonly fee: Sats
  readonly modifiedFee: Sats
  readonly time: UnixSeconds
  readonly height: Height
  readonly ancestors: RelativeSums
  readonly descendants: RelativeSums
  /** Fee and weight of its chunk. */
  readonly chunk: { readonly fee: Sats; readonly weight: Weight }
  /** Txids of its parents in the mempool. */
  readonly depends: ReadonlyArray<Uint8Array>
  readonly spentBy: ReadonlyArray<Uint8Array>
  readonly isUnbroadcast: boolean
}

/** A cluster with its chunks in mining order. */
export interface ClusterFacts {
  readonly weight: Weight
  readonly count: number
  readonly chunks: ReadonlyArray<
    { readonly fee: Sats; readonly weight: Weight; readonly txids: ReadonlyArray<Uint8Array> }
  >
}

/** An output of the chain or of the mempool. */
export interface OutputFacts {
  readonly value: Sats
  readonly script: Uint8Array
  readonly isCoinbase: boolean
  /** 0 if the transaction is in the mempool. */
  readonly confirmations: number
  /** True if a transaction of the mempool spends it. */
  readonly isSpent: boolean
}

/** Queries of the mempool. Txids are in wire order. A missing entry gives `undefined`. */
export interface MempoolQueryCalls {
  /** Returns the settings and usage. The rolling minimum decays when it is read. */
  readonly mempoolFacts: Call<void, MempoolFacts>
  /** Minimum feerates from the settings, whatever the usage of the mempool. */
  readonly relayFees: Call<void, Pick<MempoolFacts, "minRelayFee" | "incrementalRelayFee">>
  /** Txids of all entries in mining order, concatenated, and the next sequence number. */
  readonly mempoolIds: Call<void, { readonly txids: Uint8Array; readonly sequence: number }>
  /** All entries in mining order. */
  readonly mempoolEntries: Call<void, ReadonlyArray<MempoolEntryFacts>>
  readonly mempoolEntry: Call<{ readonly txid: Uint8Array }, MempoolEntryFacts | undefined>
  /** Ancestors or descendants without the entry itself, in wire order of their txids. */
  readonly mempoolRelatives: Call<
    { readonly txid: Uint8Array; readonly which: "ancestors" | "descendants" },
    ReadonlyArray<MempoolEntryFacts> | undefined
  >
  /** For each of these entries, true if it or an ancestor signals that it may be replaced (BIP125). */
  readonly mempoolSignals: Call<{ readonly txids: ReadonlyArray<Uint8Array> }, ReadonlyArray<boolean>>
  readonly mempoolCluster: Call<{ readonly txid: Uint8Array }, ClusterFacts | undefined>
  readonly feerateDiagram: Call<void, ReadonlyArray<{ readonly weight: Weight; readonly fee: Sats }>>
  /** For each outpoint, the mempool transaction that spends it. */
  readonly mempoolSpenders: Call<
    { readonly outpoints: ReadonlyArray<{ readonly txid: Uint8Array; readonly vout: number }> },
    ReadonlyArray<{ readonly txid: Uint8Array; readonly bytes: Uint8Array } | undefined>
  >
  /** The outputs at these outpoints, and the tip; `undefined` for an output that does not exist or that a block spends. */
  readonly outputs: Call<
    { readonly outpoints: ReadonlyArray<{ readonly txid: Uint8Array; readonly vout: number }> },
    { readonly tip: Uint8Array; readonly outputs: ReadonlyArray<OutputFacts | undefined> }
  >
  /** Looks up an entry by txid or wtxid. */
  readonly mempoolTransaction: Call<
    { readonly id: Uint8Array; readonly kind: "txid" | "wtxid" },
    MempoolTransaction | undefined
  >
  /** Looks up several entries by ids of one kind; `undefined` for a missing entry. */
  readonly mempoolTransactions: Call<
    { readonly ids: ReadonlyArray<Uint8Array>; readonly kind: "txid" | "wtxid" },
    ReadonlyArray<MempoolTransaction | undefined>
  >
  /**
   * Adds to the fee by which a transaction is ordered, even one that arrives later. Returns false for a transaction
   * with dust, which must pay no fee.
   */
  readonly prioritise: Call<{ readonly txid: Uint8Array; readonly delta: Sats }, boolean>
  /** Fee deltas in wire order of the txids. */
  readonly prioritised: Call<
    void,
    ReadonlyArray<{ readonly txid: Uint8Array; readonly delta: Sats; readonly modifiedFee: Sats | undefined }>
  >
}

/** Calls of the network layer about the mempool. */
export interface MempoolRelayCalls {
  /** Returns the whole mempool. Subscribers of the header index are notified of its changes. */
  readonly followMempool: Call<void, ReadonlyArray<MempoolTransaction>>
  /**
   * Marks a transaction of this node's user as unbroadcast until a peer has fetched it. Returns whether it is in the
   * mempool.
   */
  readonly markUnbroadcast: Call<{ readonly txid: Uint8Array }, boolean>
  readonly clearUnbroadcast: Call<{ readonly txid: Uint8Array }, void>
  readonly unbroadcast: Call<void, ReadonlyArray<Uint8Array>>
  /** Returns those of these wtxids that are in the mempool, in mining order. */
  readonly inMiningOrder: Call<{ readonly wtxids: ReadonlyArray<Uint8Array> }, ReadonlyArray<Uint8Array>>
}

/** Figures of the mempool. Counters start at zero with the node. */
export interface MempoolFigures {
  readonly transactions: number
  readonly virtualSize: number
  /** Bytes of memory that count towards the limit. */
  readonly usage: number
  /** Bytes of the records for look-ups by address and value; 0 if they are off. */
  readonly outputRecordBytes: number
  readonly maxBytes: number
  /** The minimum feerate because the mempool was full, in satoshis per 1,000 virtual bytes. */
  readonly minimumFee: number
  readonly unbroadcast: number
  readonly added: number
  /** Counts by Bitcoin Core's name of the reason. */
  readonly removed: Readonly<Record<string, number>>
  /** Counts by class of the rejection. */
  readonly rejected: Readonly<Record<string, number>>
}

export interface MempoolFigureCalls {
  readonly mempoolFigures: Call<void, MempoolFigures>
}

/** Calls that the mempool handles. */
export interface MempoolCalls extends AcceptanceCalls, MempoolQueryCalls, MempoolRelayCalls, MempoolFigureCalls {}

export type MempoolCall = keyof MempoolCalls
