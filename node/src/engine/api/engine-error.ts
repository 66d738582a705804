import type { Height, UnixSeconds } from "@lockstep/kernel/quantities"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type { StorageError } from "../../storage/storage-error.ts"

/** Why a call was not served although nothing is wrong with what it asks for. Each call may fail with these. */
export type EngineFault =
  /** The node is stopping. */
  | { readonly _tag: "Closing" }
  /** A failure on disk or a defect of ours, after which nothing may change until the next start. */
  | { readonly _tag: "Broken"; readonly cause: string }
  /** Writing waits for space, and the caller should not. */
  | { readonly _tag: "DiskFull"; readonly cause: string }
  /** No change is accepted, so that the disk does not become full. */
  | ({ readonly _tag: "LowSpace" } & SpaceLimit)
  /** Something on disk could not be read. `message` names the file and says what to do. */
  | { readonly _tag: "StorageFailed"; readonly reason: StorageError["reason"]; readonly message: string }
  | { readonly _tag: "ScriptWorkerFailed"; readonly message: string }
  /** A defect of this program ended the call. It is in the log. */
  | { readonly _tag: "Defect" }

/** How much space a directory must have left. */
export interface SpaceLimit {
  readonly directory: string
  readonly minimumFreeBytes: number
}

/** The optional indexes by the names that clients know them by. */
export type IndexName =
  | "txindex"
  | "txospenderindex"
  | "coinstatsindex"
  | "basic block filter index"
  | "addressindex"
  | "valueindex"

/** What can be wrong with what a call asks for, with the facts of each. Hashes are in wire order. */
interface QueryFacts {
  readonly BlockNotFound: { readonly hash: Uint8Array }
  readonly BlockNotInActiveChain: { readonly hash: Uint8Array }
  readonly HeightNotInActiveChain: { readonly height: Height }
  /** The chain cannot go back behind this block: its undo data are gone. */
  readonly BlockPruned: { readonly hash: Uint8Array; readonly height: Height }
  readonly Undecodable: { readonly what: "block" | "header" | "transaction" }
  readonly PreviousHeaderNotFound: { readonly previous: Uint8Array }
  readonly HeaderRejected: { readonly rejection: Rejection }
  /** The block that was made with the given transactions is invalid. */
  readonly CandidateRejected: { readonly rejection: Rejection }
  /** The block that was made of the mempool is invalid. */
  readonly TemplateRejected: { readonly rejection: Rejection }
  readonly NotInMempool: { readonly txid: Uint8Array }
  /** A block that was mined did not become the tip, for this reason (BIP22). */
  readonly MinedBlockNotAccepted: { readonly reason: string }
  readonly OnlyOnRegtest: { readonly call: "generate" | "moveScheduler" | "setMockTime" }
  readonly NegativeMockTime: { readonly time: UnixSeconds }
  readonly IndexNotEnabled: { readonly index: IndexName }
  readonly IndexNotSynced: { readonly index: IndexName; readonly height: Height }
  /** The index has passed the block, and has no entry for it. */
  readonly IndexEntryNotFound: { readonly index: IndexName; readonly height: Height }
  readonly ScanInProgress: object
  readonly SnapshotNotWritten: { readonly cause: string }
  readonly SnapshotNotOpened: { readonly file: string }
  /** What a snapshot says of itself is not for this node. */
  readonly SnapshotMetadataBroken: { readonly cause: string }
  readonly SnapshotRefused: { readonly file: string; readonly cause: string }
  /** The chain cannot go back to or behind the block of a snapshot before that is confirmed. */
  readonly SnapshotNotConfirmed: { readonly height: number }
  /** Fees are estimated only where transactions of peers are relayed. */
  readonly FeeEstimationDisabled: object
  readonly InInitialDownload: object
  readonly MempoolNotLoaded: object
  readonly MempoolNotSaved: { readonly cause: string }
  readonly MempoolNotImported: { readonly cause: string }
  /** A window of so many blocks does not fit below the block at this height. */
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

/**
 * Why the engine does not answer a call: plain data, which crosses from its thread. What a client reads is decided
 * where clients are.
 */
export type EngineError = EngineFault | QueryError
