import { rejectionText } from "@lockstep/protocol/rejection/rejection.ts"
import type { EngineError, IndexName, QueryError } from "../engine/api/engine-error.ts"
import { engineFaultText } from "../engine/api/fault-text.ts"
import type { EngineFailure } from "../engine-client/chain.ts"
import { displayHash } from "../hex.ts"
import type { CallError } from "./call-error.ts"

type Sentences = {
  readonly [T in EngineError["_tag"]]: (error: Extract<EngineError, { readonly _tag: T }>) => string
}

const UNDECODABLE: Readonly<Record<QueryError<"Undecodable">["what"], string>> = {
  block: "Block decode failed",
  header: "Block header decode failed",
  transaction: "Transaction decode failed"
}

const ONLY_ON_REGTEST: Readonly<Record<QueryError<"OnlyOnRegtest">["call"], string>> = {
  generate: "Blocks are generated on regtest and on a signet of one's own only",
  moveScheduler: "mockscheduler is for regression testing (-regtest mode) only",
  setMockTime: "setmocktime is for regression testing (-regtest mode) only"
}

const NOT_ENABLED: Readonly<Record<IndexName, string>> = {
  txindex: "The transaction index is not part of this engine",
  txospenderindex: "The index of spent outputs is not part of this engine",
  coinstatsindex: "Querying specific block heights requires coinstatsindex",
  "basic block filter index": "The index of block filters is not part of this engine",
  addressindex: "The index of addresses is not part of this engine",
  valueindex: "The index of values is not part of this engine"
}

/** Messages of the engine's errors: Bitcoin Core's, if it has one. */
const SENTENCES: Sentences = {
  Closing: engineFaultText,
  Broken: engineFaultText,
  DiskFull: engineFaultText,
  LowSpace: engineFaultText,
  StorageFailed: engineFaultText,
  ScriptWorkerFailed: engineFaultText,
  Defect: engineFaultText,
  BlockNotFound: () => "Block not found",
  BlockNotInActiveChain: () => "Block is not in main chain",
  HeightNotInActiveChain: () => "Block does not exist at specified height",
  BlockPruned: ({ hash, height }) =>
    `Block ${displayHash(hash)} at height ${height} is pruned: the chain cannot go back behind it`,
  Undecodable: ({ what }) => UNDECODABLE[what],
  PreviousHeaderNotFound: ({ previous }) => `Must submit previous header (${displayHash(previous)}) first`,
  HeaderRejected: ({ rejection }) => rejection.reason,
  CandidateRejected: ({ rejection }) => `TestBlockValidity failed: ${rejectionText(rejection)}`,
  TemplateRejected: ({ rejection }) => `TestBlockValidity failed: ${rejectionText(rejection)}`,
  NotInMempool: ({ txid }) => `Transaction ${displayHash(txid)} not in mempool.`,
  MinedBlockNotAccepted: ({ reason }) => `ProcessNewBlock, block not accepted: ${reason}`,
  OnlyOnRegtest: ({ call }) => ONLY_ON_REGTEST[call],
  NegativeMockTime: () => "Mocktime must not be negative",
  IndexNotEnabled: ({ index }) => NOT_ENABLED[index],
  IndexNotSynced: ({ height, index }) =>
    `Unable to get data because ${index} is still syncing. Current height: ${height}`,
  IndexEntryNotFound: () => "Unable to read UTXO set",
  ScanInProgress: () => "Scan already in progress, use action \"abort\" or \"status\"",
  SnapshotNotWritten: ({ cause }) => `Unable to write the UTXO snapshot: ${cause}`,
  SnapshotNotOpened: ({ file }) => `Couldn't open file ${file} for reading.`,
  SnapshotMetadataBroken: ({ cause }) => `Unable to parse metadata: ${cause}: iostream error`,
  SnapshotRefused: ({ cause, file }) => `Unable to load UTXO snapshot: ${cause}. (${file})`,
  SnapshotNotConfirmed: ({ height }) =>
    `The snapshot at height ${height} is not confirmed yet: the chain cannot go back to it or behind it`,
  InInitialDownload: () => "Can only import the mempool after the block download and sync is done.",
  MempoolNotLoaded: () => "The mempool was not loaded yet",
  MempoolNotSaved: () => "Unable to dump mempool to disk",
  MempoolNotImported: () => "Unable to import mempool file, see debug log for details.",
  FeeEstimationDisabled: () => "Fee estimation disabled",
  WindowTooLong: () => "Invalid block count: should be between 0 and the block's height - 1",
  InvalidBlockCount: () => "Invalid nblocks. Must be a positive number or -1.",
  PruningDisabled: () => "Cannot prune blocks because node is not in prune mode.",
  ChainTooShortToPrune: () => "Blockchain is too short for pruning."
}

/** Returns the call error for an error of the engine. */
export const engineCallError = (error: EngineError | EngineFailure): CallError => {
  if (error._tag === "EngineFailure") return { _tag: error._tag, message: error.message }
  const message = (SENTENCES[error._tag] as (error: EngineError) => string)(error)
  // Only calls that name a height get this error.
  const isOfHeight = error._tag === "IndexNotEnabled" && error.index === "coinstatsindex"
  return { _tag: isOfHeight ? "CoinStatsIndexNotEnabled" : error._tag, message }
}
