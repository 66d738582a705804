import type { Seconds } from "../../quantities.ts"
import type { DeploymentHeights } from "@lockstep/kernel/parameters"
import type { DeploymentState, SignallingStatistics } from "@lockstep/kernel/deployment"
import type { MalformedBytes } from "@lockstep/kernel/bytes"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type { NodeEvent } from "../../events/node-event.ts"
import type { ThreadFigures } from "../../figures/thread-figures.ts"
import type { FilePosition } from "../../storage/block-files/block-files.ts"
import type { ChainState } from "./chain-state.ts"
import type { Call } from "./call.ts"
import type { CompactBlockCalls } from "./compact-block-calls.ts"
import type { FeeCalls } from "./fee-calls.ts"
import type { MempoolFileCalls } from "./mempool-file-calls.ts"
import type { MempoolCalls, MempoolTransaction } from "./mempool-calls.ts"
import type { OutputCalls } from "./output-calls.ts"
import type { MiningCalls } from "./mining-calls.ts"
import type { ConfirmedTransactions, HeaderIndexUpdate, NetworkCalls } from "./network-calls.ts"
import type { SetHashType } from "../../coins/set-walk.ts"

/** Hashes are 32 bytes in wire order on this border; only people see display hex. */
export type Hash = Uint8Array

/** A block of the header index, with the facts that a call can ask for. */
export interface BlockFacts {
  readonly hash: Hash
  readonly header: Uint8Array
  readonly height: number
  /** Blocks on top of it in the active chain plus one; −1: not in the active chain. */
  readonly confirmations: number
  readonly medianTime: number
  readonly chainWork: bigint
  /** 0 while the block itself is not known. */
  readonly transactions: number
  readonly next: Hash | undefined
  /** Where its bytes are; none: not here, or pruned. */
  readonly block: FilePosition | undefined
  readonly undo: FilePosition | undefined
  readonly pruned: boolean
}

export interface ChainTip {
  readonly height: number
  readonly hash: Hash
  readonly branchLength: number
  readonly status: "active" | "invalid" | "headers-only" | "valid-headers" | "valid-fork"
}

export interface CoinFacts {
  readonly bestBlock: Hash
  readonly bestHeight: number
  readonly value: bigint
  readonly script: Uint8Array
  readonly height: number
  readonly isCoinbase: boolean
}

/** The coins after one block. */
export interface SetStatistics {
  readonly height: number
  readonly block: Hash
  readonly txouts: number
  readonly bogoSize: bigint
  readonly total: bigint
  /** Of the requested kind, wire order. */
  readonly setHash: Hash | undefined
  /** Only from a walk over the set, not from the index. */
  readonly transactions: number | undefined
  readonly sizeOnDisk: number | undefined
  /** Only from the index. */
  readonly index: IndexedStatistics | undefined
}

/** Running sums that only the coin-statistics index has, and those of this one block. Satoshis. */
export interface IndexedStatistics {
  readonly unspendable: bigint
  readonly blockInfo: {
    readonly prevoutSpent: bigint
    readonly coinbase: bigint
    readonly newOutputsExceptCoinbase: bigint
    readonly unspendable: bigint
    readonly unspendables: {
      readonly genesisBlock: bigint
      readonly bip30: bigint
      readonly scripts: bigint
      readonly unclaimedRewards: bigint
    }
  }
}

/** What the filter headers (BIP157) of a chain consist of. */
export interface FilterHeader {
  readonly block: Hash
  /** Of the filter. */
  readonly filterHash: Hash
  readonly header: Hash
}

export interface BlockFilter extends FilterHeader {
  readonly filter: Uint8Array
}

export interface IndexState {
  readonly name: string
  readonly synced: boolean
  readonly bestBlockHeight: number
}

/** A deployment that miners signal for, seen from one block. Times are Unix seconds. */
export interface SignalledDeployment {
  readonly name: string
  readonly bit: number
  readonly startTime: number
  /** None: it never fails. */
  readonly timeout: number | undefined
  readonly minActivationHeight: number
  /** For the block itself, and the height since when. */
  readonly state: DeploymentState
  readonly since: number
  /** For the block on top of it. */
  readonly next: DeploymentState
  /** While signals count: those of the period up to the block, oldest first. */
  readonly counted: SignallingStatistics & { readonly signalling: ReadonlyArray<boolean> } | undefined
}

export interface DeploymentFacts {
  readonly hash: Hash
  readonly height: number
  /** The flags of the block's scripts. */
  readonly flags: number
  readonly heights: DeploymentHeights
  readonly signalled: ReadonlyArray<SignalledDeployment>
}

/** The last blocks up to one of the active chain. */
export interface ChainWindow {
  readonly hash: Hash
  readonly height: number
  readonly time: number
  /** Of the chain up to the last block, and up to the one before the first; 0: unknown. */
  readonly transactions: number
  readonly transactionsBefore: number
  readonly blocks: number
  /** Between the median times. */
  readonly seconds: Seconds
}

export interface NetworkWork {
  readonly work: bigint
  readonly seconds: Seconds
}

export interface EngineFigures {
  readonly thread: ThreadFigures
  readonly coins: { readonly hits: number; readonly misses: number; readonly bytes: number; readonly changes: number }
}

/** What a scan over all coins found, in the block where its answer holds. */
export interface CoinScan {
  /** False: it was aborted. */
  readonly isComplete: boolean
  readonly height: number
  readonly block: Hash
  /** Coins that were looked at. */
  readonly coins: number
  readonly found: ReadonlyArray<{
    readonly txid: Hash
    readonly vout: number
    readonly value: bigint
    readonly script: Uint8Array
    readonly height: number
    readonly isCoinbase: boolean
    /** The block that made it. */
    readonly block: Hash
  }>
}

/** What a snapshot of coins holds. */
export interface CoinDump {
  readonly coins: number
  /** The hash of the set, of the kind hash_serialized_3. */
  readonly setHash: Hash
  readonly block: Hash
  readonly height: number
  /** Of the chain up to that block. */
  readonly transactions: number
}

/** The result of a block that was submitted: none when it is valid and the tip, else the reason (BIP22). */
export interface SubmitAnswer {
  readonly result: string | undefined
}

interface AtHash {
  readonly hash: Hash
}

interface BlockBytes {
  readonly bytes: Uint8Array
}

/** Calls that the engine answers by itself, from the chain and the coins. */
export interface ChainCalls {
  /** Accepts a block and activates the best chain. */
  readonly submitBlock: Call<BlockBytes, SubmitAnswer, "Undecodable">
  readonly submitHeader: Call<BlockBytes, void, "Undecodable" | "PreviousHeaderNotFound" | "HeaderRejected">
  /** Whether this block, proof of work apart, could be the next one. Nothing is kept. */
  readonly proposeBlock: Call<BlockBytes, SubmitAnswer, "Undecodable">
  readonly invalidateBlock: Call<AtHash, void, "BlockNotFound" | "BlockPruned">
  readonly reconsiderBlock: Call<AtHash, void, "BlockNotFound">
  readonly preciousBlock: Call<AtHash, void, "BlockNotFound">
  readonly blockFacts: Call<AtHash, BlockFacts | undefined>
  readonly hashAt: Call<{ readonly height: number }, Hash | undefined>
  readonly chainTips: Call<void, ReadonlyArray<ChainTip>>
  readonly coin: Call<{ readonly txid: Hash; readonly vout: number }, CoinFacts | undefined>
  /** Looks for coins with these scripts; one scan at a time. */
  readonly scanCoins: Call<{ readonly scripts: ReadonlyArray<Uint8Array> }, CoinScan, "ScanInProgress">
  /** Percent of the running scan; none: there is no scan. */
  readonly scanProgress: Call<void, number | undefined>
  /** Aborts the running scan; answers whether there was one. */
  readonly abortScan: Call<void, boolean>
  /** Writes the coins of the tip, or of a block before it, into a file, in Bitcoin Core's format for snapshots. */
  readonly dumpCoins: Call<
    { readonly file: string; readonly height: number | undefined },
    CoinDump,
    "SnapshotNotWritten"
  >
  readonly setStatistics: Call<
    StatisticsRequest,
    SetStatistics,
    "BlockNotFound" | "HeightNotInActiveChain" | "IndexNotEnabled" | "IndexNotSynced" | "IndexEntryNotFound"
  >
  /** Seconds since 1970; 0: the machine's own clock again. Regtest only. */
  readonly setMockTime: Call<{ readonly time: number }, void, "OnlyOnRegtest" | "NegativeMockTime">
  /** Moves the periodic tasks of the engine forward. Regtest only. */
  readonly moveScheduler: Call<{ readonly milliseconds: number }, void, "OnlyOnRegtest">
  /** None: the tip. */
  readonly deployments: Call<{ readonly hash: Hash | undefined }, DeploymentFacts | undefined>
  /** `last` none: the tip; `blocks` none: as many as a month has. */
  readonly chainWindow: Call<
    { readonly last: Hash | undefined; readonly blocks: number | undefined },
    ChainWindow,
    "BlockNotFound" | "BlockNotInActiveChain" | "WindowTooLong"
  >
  /** Of the last `blocks` (−1: since the difficulty changed) up to `height` (−1: the tip's). */
  readonly networkWork: Call<
    { readonly blocks: number; readonly height: number },
    NetworkWork,
    "InvalidBlockCount" | "HeightNotInActiveChain"
  >
  /** The block of a transaction that has unspent outputs. */
  readonly coinBlock: Call<{ readonly txid: Hash }, Hash | undefined>
  /** Writes everything to disk. */
  readonly flush: Call<void, void>
  /** Writes everything to disk and closes it. No call after this one. */
  readonly close: Call<void, void>
}

/** Which statistics of the coins are asked for. */
export interface StatisticsRequest {
  readonly hashType: SetHashType
  /** None: the tip. Another block needs the index. */
  readonly at: { readonly hash: Hash } | { readonly height: number } | undefined
  readonly useIndex: boolean
}

/** Calls that the optional indexes answer. */
export interface IndexCalls extends OutputCalls {
  /** Where the index found a transaction. */
  readonly transactionPlace: Call<
    { readonly txid: Hash },
    { readonly block: Hash; readonly position: FilePosition } | undefined,
    "IndexNotEnabled"
  >
  /**
   * The filters of blocks from a height on, up to `stop` and in its chain, as far as `most` and a few megabytes go, so
   * maybe not all of them. None: such a block is not known, or the index has not come to it.
   */
  readonly blockFilters: Call<
    { readonly from: number; readonly stop: Hash; readonly most: number },
    ReadonlyArray<BlockFilter> | undefined,
    "IndexNotEnabled"
  >
  /** The filter headers of the blocks at these heights of the chain of `stop`. None: as with `blockFilters`. */
  readonly filterHeaders: Call<
    { readonly heights: ReadonlyArray<number>; readonly stop: Hash },
    ReadonlyArray<FilterHeader> | undefined,
    "IndexNotEnabled"
  >
  readonly indexes: Call<void, ReadonlyArray<IndexState>>
}

/** Calls about the block files. */
export interface MaintenanceCalls {
  /** Levels 0 to 4; `blocks` 0: all. Fails with a defect of the disk, never silently. */
  readonly verifyChain: Call<
    { readonly level: number; readonly blocks: number },
    { readonly valid: boolean; readonly problem: string | undefined }
  >
  /** Answers the height of the last block that is gone. */
  readonly pruneTo: Call<{ readonly height: number }, number, "PruningDisabled" | "ChainTooShortToPrune">
  /**
   * Imports block files in any order of blocks; bytes, XORed or not. Without paths: waits until the blocks of the files
   * that are read in place, in a rebuild or from Bitcoin Core's directory, are accepted.
   */
  readonly importFiles: Call<
    { readonly paths: ReadonlyArray<string> },
    { readonly blocks: number; readonly waiting: number; readonly withoutBlocks: ReadonlyArray<string> }
  >
}

export interface FigureCalls {
  /** How the engine's thread and its coin cache are doing. */
  readonly figures: Call<void, EngineFigures>
}

/** Every call to the engine, in the groups that answer them. */
export interface EngineCalls
  extends
    ChainCalls,
    MiningCalls,
    NetworkCalls,
    CompactBlockCalls,
    MempoolCalls,
    FeeCalls,
    MempoolFileCalls,
    IndexCalls,
    MaintenanceCalls,
    FigureCalls
{}

export type EngineCallName = keyof EngineCalls

/** A call that every engine answers, without any extension. */
export type OwnCall = keyof ChainCalls | keyof MiningCalls | keyof NetworkCalls | keyof CompactBlockCalls

/** A block that became the tip, and the chain up to it. */
export interface TipFigures {
  readonly hash: Hash
  readonly height: number
  readonly version: number
  readonly time: number
  readonly chainWork: bigint
  readonly transactions: number
  /** 0 to 1. */
  readonly progress: number
  readonly cacheBytes: number
}

/** A transaction that a template or a generated block takes. */
export interface SelectedTransaction {
  readonly txid: Hash
  /** Satoshis, with what the operator added. */
  readonly modifiedFee: bigint
  readonly virtualSize: number
}

/** Notifications of the engine, in the order in which things happened. */
/** Why a block or a header was not taken. */
export type Refused =
  | { readonly what: "block" | "header"; readonly rejection: Rejection }
  | { readonly what: "too little work" }
  /** It is none. */
  | { readonly what: "bytes"; readonly bytes: number; readonly fault: MalformedBytes }

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
  | { readonly _tag: "NewBlock"; readonly index: number; readonly place: FilePosition }
  /** `isNew`: it was not there before, neither in a disconnected block nor in the file of a mempool. */
  | { readonly _tag: "TransactionAdded"; readonly transaction: MempoolTransaction; readonly isNew: boolean }
  | { readonly _tag: "TransactionRemoved"; readonly txid: Hash; readonly reason: string }
  /**
   * Sent before a block is reported as the tip, outside of the initial download and while there are unconfirmed
   * transactions.
   */
  | { readonly _tag: "Confirmed"; readonly transactions: ConfirmedTransactions }
  /** The lowest rate, in satoshis for 1,000 virtual bytes, that the mempool accepts because of its size. */
  | { readonly _tag: "PoolRate"; readonly rate: number }
  /** A failure on disk after which going on would lose data: the node stops with this reason. */
  | { readonly _tag: "Fatal"; readonly message: string }
