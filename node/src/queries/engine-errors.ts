import { rejectionText } from "@lockstep/protocol/rejection/rejection.ts"
import type { EngineError, EngineFault, IndexName, QueryError } from "../engine/api/engine-error.ts"
import { engineFaultText } from "../engine/api/fault-text.ts"
import type { EngineFailure } from "../engine-client/chain.ts"
import { displayHash } from "../hex.ts"
import { type RpcError, rpcError, RpcErrorCode } from "./rpc-error.ts"

/** The code and the sentence that clients know an error by: Bitcoin Core's, where it has one. */
type CodeAndText = readonly [code: number, message: string]

type Answers = {
  readonly [T in EngineError["_tag"]]: (error: Extract<EngineError, { readonly _tag: T }>) => CodeAndText
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

const { database, deserialization, internal, invalidAddressOrKey, invalidParameter, misc, verify } = RpcErrorCode

const NOT_ENABLED: Readonly<Record<IndexName, CodeAndText>> = {
  txindex: [misc, "The transaction index is not part of this engine"],
  txospenderindex: [misc, "The index of spent outputs is not part of this engine"],
  coinstatsindex: [invalidParameter, "Querying specific block heights requires coinstatsindex"],
  "basic block filter index": [misc, "The index of block filters is not part of this engine"],
  addressindex: [misc, "The index of addresses is not part of this engine"],
  valueindex: [misc, "The index of values is not part of this engine"]
}

const ofDatabase = (fault: EngineFault): CodeAndText => [database, engineFaultText(fault)]
const ofInside = (fault: EngineFault): CodeAndText => [internal, engineFaultText(fault)]

/** How a client sees each error of the engine. */
const ANSWERS: Answers = {
  Closing: ofDatabase,
  Broken: ofDatabase,
  DiskFull: ofDatabase,
  LowSpace: ofDatabase,
  StorageFailed: ofDatabase,
  ScriptWorkerFailed: ofInside,
  Defect: ofInside,
  BlockNotFound: () => [invalidAddressOrKey, "Block not found"],
  BlockNotInActiveChain: () => [invalidParameter, "Block is not in main chain"],
  HeightNotInActiveChain: () => [invalidParameter, "Block does not exist at specified height"],
  BlockPruned: ({ hash, height }) => [
    misc,
    `Block ${displayHash(hash)} at height ${height} is pruned: the chain cannot go back behind it`
  ],
  Undecodable: ({ what }) => [deserialization, UNDECODABLE[what]],
  PreviousHeaderNotFound: ({ previous }) => [verify, `Must submit previous header (${displayHash(previous)}) first`],
  HeaderRejected: ({ rejection }) => [verify, rejection.reason],
  CandidateRejected: ({ rejection }) => [verify, `TestBlockValidity failed: ${rejectionText(rejection)}`],
  TemplateRejected: ({ rejection }) => [misc, `TestBlockValidity failed: ${rejectionText(rejection)}`],
  NotInMempool: ({ txid }) => [invalidAddressOrKey, `Transaction ${displayHash(txid)} not in mempool.`],
  MinedBlockNotAccepted: ({ reason }) => [internal, `ProcessNewBlock, block not accepted: ${reason}`],
  OnlyOnRegtest: ({ call }) => [misc, ONLY_ON_REGTEST[call]],
  NegativeMockTime: () => [invalidParameter, "Mocktime must not be negative"],
  IndexNotEnabled: ({ index }) => NOT_ENABLED[index],
  IndexNotSynced: ({ height, index }) => [
    internal,
    `Unable to get data because ${index} is still syncing. Current height: ${height}`
  ],
  IndexEntryNotFound: () => [internal, "Unable to read UTXO set"],
  ScanInProgress: () => [invalidParameter, "Scan already in progress, use action \"abort\" or \"status\""],
  SnapshotNotWritten: ({ cause }) => [internal, `Unable to write the UTXO snapshot: ${cause}`],
  SnapshotNotOpened: ({ file }) => [invalidParameter, `Couldn't open file ${file} for reading.`],
  SnapshotMetadataBroken: ({ cause }) => [deserialization, `Unable to parse metadata: ${cause}: iostream error`],
  SnapshotRefused: ({ cause, file }) => [internal, `Unable to load UTXO snapshot: ${cause}. (${file})`],
  SnapshotNotConfirmed: ({ height }) => [
    misc,
    `The snapshot at height ${height} is not confirmed yet: the chain cannot go back to it or behind it`
  ],
  InInitialDownload: () => [
    RpcErrorCode.inInitialDownload,
    "Can only import the mempool after the block download and sync is done."
  ],
  MempoolNotLoaded: () => [misc, "The mempool was not loaded yet"],
  MempoolNotSaved: () => [misc, "Unable to dump mempool to disk"],
  MempoolNotImported: () => [misc, "Unable to import mempool file, see debug log for details."],
  FeeEstimationDisabled: () => [internal, "Fee estimation disabled"],
  WindowTooLong: () => [invalidParameter, "Invalid block count: should be between 0 and the block's height - 1"],
  InvalidBlockCount: () => [invalidParameter, "Invalid nblocks. Must be a positive number or -1."],
  PruningDisabled: () => [misc, "Cannot prune blocks because node is not in prune mode."],
  ChainTooShortToPrune: () => [misc, "Blockchain is too short for pruning."]
}

/** The error of a call that needed the engine. */
export const rpcErrorOf = (error: EngineError | EngineFailure): RpcError => {
  if (error._tag === "EngineFailure") return rpcError(internal, error.message)
  const answer = ANSWERS[error._tag] as (error: EngineError) => CodeAndText
  const [code, message] = answer(error)
  return { _tag: "RpcError", code, message, engine: error }
}
