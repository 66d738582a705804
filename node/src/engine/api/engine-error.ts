import type { Height, UnixSeconds } from "@lockstep/kernel/quantities"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type { StorageError } from "../../storage/storage-error.ts"

/** Reasons why a valid call was not served. Each call may fail with these. */
export type EngineFault =
  /** The node is stopping. */
  | { readonly _tag: "Closing" }
  /** A disk failure or an internal error, after which nothing may change until the next start. */
  | { readonly _tag: "Broken"; readonly cause: string }
  /** Writing waits for disk space, and the caller should not wait. */
  | { readonly _tag: "DiskFull"; readonly cause: string }
  /** No change is accepted, to keep the disk from filling up. */
  | ({ readonly _tag: "LowSpace" } & SpaceLimit)
  /** Stored data could not be read. `message` names the file and says what to do. */
  | { readonly _tag: "StorageFailed"; readonly reason: StorageError["reason"]; readonly message: string }
  | { readonly _tag: "ScriptWorkerFailed"; readonly message: string }
  /** An internal error ended the call. The log has the details. */
  | { readonly _tag: "Defect" }

/** Free space that a directory must have. */
export interface SpaceLimit {
  readonly directory: string
  readonly minimumFreeBytes: number
}

/** The optional indexes, by the names that clients use. */
export type IndexName =
  | "txindex"
  | "txospenderindex"
  | "coinstatsindex"
  | "basic block filter index"
  | "addressindex"
  | "valueindex"

/** Errors in what a call requests, with the facts of each. Hashes are in wire order. */
interface QueryFacts {
  readonly BlockNotFound: { readonly hash: Uint8Array }
  readonly BlockNotInActiveChain: { readonly hash: Uint8Array }
  readonly HeightNotInActiveChain: { readonly height: Height }
  /** The chain cannot be rolled back past this block, because its undo data were pruned. */
  readonly BlockPruned: { readonly hash: Uint8Array; readonly height: Height }
  readonly Undecodable: { readonly what: "block" | "header" | "transaction" }
  readonly PreviousHeaderNotFound: { readonly previous: Uint8Array }
  readonly HeaderRejected: { readonly rejection: Rejection }
  /** The block made of the given transactions is invalid. */
  readonly CandidateRejected: { readonly rejection: Rejection }
  /** The block made of the mempool is invalid. */
  readonly TemplateRejected: { readonly rejection: Rejection }
  readonly NotInMempool: { readonly txid: Uint8Array }
  /** A mined block did not become the tip, for this reason (BIP22). */
  readonly MinedBlockNotAccepted: { readonly reason: string }
  readonly OnlyOnRegtest: { readonly call: "generate" | "moveScheduler" | "setMockTime" }
  readonly NegativeMockTime: { readonly time: UnixSeconds }
  readonly IndexNotEnabled: { readonly index: IndexName }
  readonly IndexNotSynced: { readonly index: IndexName; readonly height: Height }
  /** The index has passed the block, but has no entry for it. */
  readonly IndexEntryNotFound: { readonly index: IndexName; readonly height: Height }
  readonly ScanInProgress: object
  readonly SnapshotNotWritten: { readonly cause: string }
  readonly SnapshotNotOpened: { readonly file: string }
  /** The metadata of a snapshot do not fit this node. */
  readonly SnapshotMetadataBroken: { readonly cause: string }
  readonly SnapshotRefused: { readonly file: string; readonly cause: string }
  /** The chain cannot be rolled back to or past the snapshot's block before the snapshot is confirmed. */
  readonly SnapshotNotConfirmed: { readonly height: number }
  /** Fees are estimated only if the transactions of peers are relayed. */
  readonly FeeEstimationDisabled: object
  readonly InInitialDownload: object
  readonly MempoolNotLoaded: object
  readonly MempoolNotSaved: { readonly cause: string }
  readonly MempoolNotImported: { readonly cause: string }
  /** A window of this many blocks does not fit below the block at this height. */
  readonly WindowTooLong: { readonly blocks: number; readonly height: Height }
  readonly InvalidBlockCount: { readonly blocks: number }
  readonly PruningDisabled: object
  readonly ChainTooShortToPrune: { readonly height: Height; readonly pruneAfterHeight: Height }
}

export type QueryErrorTag = keyof QueryFacts

/** The errors with these tags. */
export type QueryError<T extends QueryErrorTag = QueryErrorTag> = {
  readonly [K in T]: { readonly _tag: K } & QueryFacts[K]
}[T]

/** Plain data about a call that failed, sent from the engine's thread. Surfaces such as RPC and REST word it for clients. */
export type EngineError = EngineFault | QueryError
