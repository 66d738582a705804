import type { Height, Sats, Weight } from "@lockstep/kernel/quantities"
import type { FeeRate } from "@lockstep/kernel/relay"
import type { RelayRejection } from "@lockstep/protocol/rejection/relay-rejection.ts"
import type { UnixSeconds } from "../../quantities.ts"
import type { Call } from "./call.ts"

/** A transaction of the mempool, for a replica. Ids in wire order. */
export interface MempoolTransaction {
  readonly txid: Uint8Array
  readonly wtxid: Uint8Array
  readonly bytes: Uint8Array
  /** Satoshis, without what the operator added. */
  readonly fee: Sats
  /** Of the adjusted weight. */
  readonly virtualSize: number
  /** The mempool's sequence number when it entered; 0: it came back from a disconnected block. */
  readonly sequence: number
}

/**
 * What became of a transaction that was given to the mempool.
 *
 * - `Accepted`: it is in the mempool now, or would be, were it no test. `feerate` is what it was judged by: its own, or
 *   that of the transactions of a package whose wtxids are in `feerateOf`.
 * - `InMempool`: it was there already. `OtherWitness`: it is there with another witness.
 * - `Rejected`: `missing` are the txids whose outputs it spends and that are unknown.
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
    /** Entries that it replaced, in raw order of their txids. */
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

/** How often a peer's transaction is judged: as soon as it came, or again, as an orphan whose parents may be here now. */
export type TransactionOrigin = "first sight" | "again"

/** What a package has to be; `ancestor package`: a transaction and ancestors of it, not only parents (BIP331). */
export type PackageShape = "child with parents" | "ancestor package"

/** What became of a package. */
export interface PackageOutcome {
  /**
   * Why the package as such failed; none: it did not. `isPolicy`: because of its shape or as a whole, not because of one
   * of its transactions.
   */
  readonly failure:
    | { readonly reason: string; readonly debug: string | undefined; readonly isPolicy: boolean }
    | undefined
  /** For each of its transactions, in order; none: it was not judged. */
  readonly outcomes: ReadonlyArray<TransactionOutcome | undefined>
}

/** Calls that give transactions to the mempool. A transaction is its bytes with witness, which are the engine's then. */
export interface AcceptanceCalls {
  /** Without an origin it is a user's, not a peer's. */
  readonly acceptTransaction: Call<
    { readonly bytes: Uint8Array; readonly origin?: TransactionOrigin | undefined },
    TransactionOutcome,
    "Undecodable"
  >
  /** The outcome that {@link acceptTransaction} would have. Nothing changes, and no notification is sent. */
  readonly testTransaction: Call<{ readonly bytes: Uint8Array }, TransactionOutcome, "Undecodable">
  /** One child at the end, and parents or, where `shape` says so, ancestors of it. */
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

/** How the mempool is made, and how full it is. Feerates are satoshi per 1,000 virtual bytes. */
export interface MempoolFacts {
  /** Whether the file of the last run has been read. */
  readonly loaded: boolean
  readonly count: number
  readonly virtualSize: number
  readonly usage: number
  readonly fees: Sats
  readonly maxBytes: number
  /** What it asks for because it was full; 0: nothing. */
  readonly rollingMinimum: number
  readonly minRelayFee: Sats
  readonly incrementalRelayFee: Sats
  readonly unbroadcast: number
  readonly permitBareMultisig: boolean
  readonly dataCarrierBytes: number
  readonly clusterCount: number
  /** Virtual bytes. */
  readonly clusterSize: number
  readonly isOptimal: boolean
  /** Whether a transaction may be replaced that does not signal it. */
  readonly replacesUnsignalled: boolean
}

/** Sums over an entry and its ancestors or descendants. */
export interface RelativeSums {
  readonly count: number
  readonly virtualSize: number
  readonly fees: Sats
}

/** What is known of an entry besides its bytes. */
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
  /** Of its chunk; the size is weight. */
  readonly chunk: { readonly fee: Sats; readonly weight: Weight }
  /** Txids. */
  readonly depends: ReadonlyArray<Uint8Array>
  readonly spentBy: ReadonlyArray<Uint8Array>
  readonly isUnbroadcast: boolean
}

/** Chunks of a cluster in the order in which they are mined. */
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
  /** 0: a transaction of the mempool has it. */
  readonly confirmations: number
  /** Whether a transaction of the mempool spends it. */
  readonly isSpent: boolean
}

/** Calls that ask the mempool. Txids in wire order; none as an answer: it is not in the mempool. */
export interface MempoolQueryCalls {
  /** The rolling minimum decays when it is asked for. */
  readonly mempoolFacts: Call<void, MempoolFacts>
  /** What the settings ask of transactions, however full the mempool is. */
  readonly relayFees: Call<void, Pick<MempoolFacts, "minRelayFee" | "incrementalRelayFee">>
  /** Txids of all entries, in mining order, one after another; and the next sequence number. */
  readonly mempoolIds: Call<void, { readonly txids: Uint8Array; readonly sequence: number }>
  /** All entries in mining order. */
  readonly mempoolEntries: Call<void, ReadonlyArray<MempoolEntryFacts>>
  readonly mempoolEntry: Call<{ readonly txid: Uint8Array }, MempoolEntryFacts | undefined>
  /** Without the entry itself, in raw order of txids. */
  readonly mempoolRelatives: Call<
    { readonly txid: Uint8Array; readonly which: "ancestors" | "descendants" },
    ReadonlyArray<MempoolEntryFacts> | undefined
  >
  /** For each of these entries, whether it or an ancestor signals that it may be replaced (BIP125). */
  readonly mempoolSignals: Call<{ readonly txids: ReadonlyArray<Uint8Array> }, ReadonlyArray<boolean>>
  readonly mempoolCluster: Call<{ readonly txid: Uint8Array }, ClusterFacts | undefined>
  readonly feerateDiagram: Call<void, ReadonlyArray<{ readonly weight: Weight; readonly fee: Sats }>>
  /** For each outpoint, the transaction that spends it. */
  readonly mempoolSpenders: Call<
    { readonly outpoints: ReadonlyArray<{ readonly txid: Uint8Array; readonly vout: number }> },
    ReadonlyArray<{ readonly txid: Uint8Array; readonly bytes: Uint8Array } | undefined>
  >
  /** The outputs at these outpoints, and the tip; none: there is none, or a block spends it. */
  readonly outputs: Call<
    { readonly outpoints: ReadonlyArray<{ readonly txid: Uint8Array; readonly vout: number }> },
    { readonly tip: Uint8Array; readonly outputs: ReadonlyArray<OutputFacts | undefined> }
  >
  /** By either id. */
  readonly mempoolTransaction: Call<
    { readonly id: Uint8Array; readonly kind: "txid" | "wtxid" },
    MempoolTransaction | undefined
  >
  /** Several by the same kind of id; none: it is not there. */
  readonly mempoolTransactions: Call<
    { readonly ids: ReadonlyArray<Uint8Array>; readonly kind: "txid" | "wtxid" },
    ReadonlyArray<MempoolTransaction | undefined>
  >
  /** Adds to the fee that orders a transaction, also of one that comes later. `false`: it has dust, so it must pay no fee. */
  readonly prioritise: Call<{ readonly txid: Uint8Array; readonly delta: Sats }, boolean>
  /** In raw order of txids. */
  readonly prioritised: Call<
    void,
    ReadonlyArray<{ readonly txid: Uint8Array; readonly delta: Sats; readonly modifiedFee: Sats | undefined }>
  >
}

/** Calls of the network layer about the mempool. */
export interface MempoolRelayCalls {
  /** The whole mempool. Subscribers of the header index are notified of its changes. */
  readonly followMempool: Call<void, ReadonlyArray<MempoolTransaction>>
  /** Marks a transaction of this node's own user, until a peer has fetched it; answers whether it is in the mempool. */
  readonly markUnbroadcast: Call<{ readonly txid: Uint8Array }, boolean>
  readonly clearUnbroadcast: Call<{ readonly txid: Uint8Array }, void>
  readonly unbroadcast: Call<void, ReadonlyArray<Uint8Array>>
  /** Of these wtxids, those that are in the mempool, in mining order. */
  readonly inMiningOrder: Call<{ readonly wtxids: ReadonlyArray<Uint8Array> }, ReadonlyArray<Uint8Array>>
}

/** How the mempool is doing. Counts go since the start. */
export interface MempoolFigures {
  readonly transactions: number
  readonly virtualSize: number
  /** Bytes of memory, as they are held against the limit. */
  readonly usage: number
  /** What look-ups by address and value keep; 0: there are none. */
  readonly outputRecordBytes: number
  readonly maxBytes: number
  /** What it asks for because it was full: satoshi per 1,000 virtual bytes. */
  readonly minimumFee: number
  readonly unbroadcast: number
  readonly added: number
  /** By Bitcoin Core's word for the reason. */
  readonly removed: Readonly<Record<string, number>>
  /** By class. */
  readonly rejected: Readonly<Record<string, number>>
}

export interface MempoolFigureCalls {
  readonly mempoolFigures: Call<void, MempoolFigures>
}

/** Calls that the mempool answers. */
export interface MempoolCalls extends AcceptanceCalls, MempoolQueryCalls, MempoolRelayCalls, MempoolFigureCalls {}

export type MempoolCall = keyof MempoolCalls
