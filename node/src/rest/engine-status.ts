import type { EngineError } from "../engine/api/engine-error.ts"

/** The status that an error of the engine has, unless a resource has another one for it. */
export const STATUS_OF_ENGINE_ERROR: Readonly<Record<EngineError["_tag"], number>> = {
  BlockNotFound: 404,
  BlockNotInActiveChain: 400,
  BlockPruned: 400,
  CandidateRejected: 400,
  ChainTooShortToPrune: 400,
  FeeEstimationDisabled: 400,
  HeaderRejected: 400,
  HeightNotInActiveChain: 400,
  IndexNotEnabled: 400,
  InvalidBlockCount: 400,
  NegativeMockTime: 400,
  NotInMempool: 404,
  OnlyOnRegtest: 400,
  PreviousHeaderNotFound: 400,
  PruningDisabled: 400,
  ScanInProgress: 400,
  TemplateRejected: 400,
  Undecodable: 400,
  WindowTooLong: 400,
  Broken: 500,
  Closing: 500,
  Defect: 500,
  DiskFull: 500,
  IndexEntryNotFound: 500,
  IndexNotSynced: 500,
  LowSpace: 500,
  MinedBlockNotAccepted: 500,
  ScriptWorkerFailed: 500,
  StorageFailed: 500
}
