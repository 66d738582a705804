import type { DeploymentHeights } from "@lockstep/kernel/parameters"
import type { DeploymentState, SignallingStatistics } from "@lockstep/kernel/deployment"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type { NodeEvent } from "../../events/node-event.ts"
import type { ThreadFigures } from "../../figures/thread-figures.ts"
import type { FilePosition } from "../../storage/block-files/block-files.ts"
import type { ChainState } from "./chain-state.ts"
import type { ConfirmedTransactions, NetworkCalls, MempoolTransaction, HeaderIndexUpdate } from "./network-calls.ts"
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
  readonly seconds: number
}

export interface NetworkWork {
  readonly work: bigint
  readonly seconds: number
}

/** What the block on top of the tip must be like, were it made now. */
export interface NextBlock {
  readonly previous: Hash
  readonly height: number
  readonly version: number
  readonly bits: number
  readonly minTime: number
  readonly time: number
  readonly subsidy: bigint
  /** Whether witnesses, and a commitment to them, are part of it. */
  readonly hasWitness: boolean
  /** Deployments that can be signalled for, and those that signals have brought in force. */
  readonly available: ReadonlyArray<{ readonly name: string; readonly bit: number }>
  readonly active: ReadonlyArray<string>
  readonly signetChallenge: Uint8Array | undefined
  /** Whether a block template has been requested. */
  readonly assembled: boolean
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

/** Every call to the engine: what goes in, what comes out. A refusal is an {@link EngineRefusal}. */
export interface EngineCalls extends NetworkCalls {
  /** Accepts a block and activates the best chain. `result`: none when it is the tip now, else the reason (BIP22). */
  readonly submitBlock: {
    readonly in: { readonly bytes: Uint8Array }
    readonly out: { readonly result: string | undefined }
  }
  readonly submitHeader: { readonly in: { readonly bytes: Uint8Array }; readonly out: void }
  /** Whether this block, proof of work apart, could be the next one. Nothing is kept. */
  readonly proposeBlock: {
    readonly in: { readonly bytes: Uint8Array }
    readonly out: { readonly result: string | undefined }
  }
  readonly invalidateBlock: { readonly in: { readonly hash: Hash }; readonly out: void }
  readonly reconsiderBlock: { readonly in: { readonly hash: Hash }; readonly out: void }
  readonly preciousBlock: { readonly in: { readonly hash: Hash }; readonly out: void }
  readonly blockFacts: { readonly in: { readonly hash: Hash }; readonly out: BlockFacts | undefined }
  readonly hashAt: { readonly in: { readonly height: number }; readonly out: Hash | undefined }
  readonly chainTips: { readonly in: void; readonly out: ReadonlyArray<ChainTip> }
  readonly coin: { readonly in: { readonly txid: Hash; readonly vout: number }; readonly out: CoinFacts | undefined }
  /** Looks for coins with these scripts; one scan at a time. */
  readonly scanCoins: { readonly in: { readonly scripts: ReadonlyArray<Uint8Array> }; readonly out: CoinScan }
  /** Percent of the running scan; none: there is no scan. */
  readonly scanProgress: { readonly in: void; readonly out: number | undefined }
  /** Aborts the running scan; answers whether there was one. */
  readonly abortScan: { readonly in: void; readonly out: boolean }
  readonly setStatistics: {
    readonly in: {
      readonly hashType: SetHashType
      /** None: the tip. Another block needs the index. */
      readonly at: { readonly hash: Hash } | { readonly height: number } | undefined
      readonly useIndex: boolean
    }
    readonly out: SetStatistics
  }
  /** Levels 0 to 4; `blocks` 0: all. Fails with a defect of the disk, never silently. */
  readonly verifyChain: {
    readonly in: { readonly level: number; readonly blocks: number }
    readonly out: { readonly valid: boolean; readonly problem: string | undefined }
  }
  /** Answers the height of the last block that is gone. */
  readonly pruneTo: { readonly in: { readonly height: number }; readonly out: number }
  /** Mines on regtest; to `script`, with these raw transactions in the block (only for one block). */
  readonly generate: {
    readonly in: {
      readonly script: Uint8Array
      readonly blocks: number
      readonly maxTries: number
      readonly transactions: ReadonlyArray<Uint8Array>
      /** Off: the block is made, not submitted, and answered as bytes. */
      readonly submit: boolean
    }
    readonly out: { readonly hashes: ReadonlyArray<Hash>; readonly block: Uint8Array | undefined }
  }
  /** Seconds since 1970; 0: the machine's own clock again. Regtest only. */
  readonly setMockTime: { readonly in: { readonly time: number }; readonly out: void }
  /** Where the index found a transaction. */
  readonly transactionPlace: {
    readonly in: { readonly txid: Hash }
    readonly out: { readonly block: Hash; readonly position: FilePosition } | undefined
  }
  /**
   * The filters of blocks from a height on, up to `stop` and in its chain, as far as `most` and a few megabytes go, so
   * maybe not all of them. None: such a block is not known, or the index has not come to it.
   */
  readonly blockFilters: {
    readonly in: { readonly from: number; readonly stop: Hash; readonly most: number }
    readonly out: ReadonlyArray<BlockFilter> | undefined
  }
  /** The filter headers of the blocks at these heights of the chain of `stop`. None: as with `blockFilters`. */
  readonly filterHeaders: {
    readonly in: { readonly heights: ReadonlyArray<number>; readonly stop: Hash }
    readonly out: ReadonlyArray<FilterHeader> | undefined
  }
  readonly indexes: { readonly in: void; readonly out: ReadonlyArray<IndexState> }
  /**
   * Imports block files in any order of blocks; bytes, XORed or not. Without paths: waits until the blocks of the files
   * that are read in place, in a rebuild or from Bitcoin Core's directory, are accepted.
   */
  readonly importFiles: {
    readonly in: { readonly paths: ReadonlyArray<string> }
    readonly out: { readonly blocks: number; readonly waiting: number; readonly withoutBlocks: ReadonlyArray<string> }
  }
  /** None: the tip. */
  readonly deployments: { readonly in: { readonly hash: Hash | undefined }; readonly out: DeploymentFacts | undefined }
  /** `last` none: the tip; `blocks` none: as many as a month has. */
  readonly chainWindow: {
    readonly in: { readonly last: Hash | undefined; readonly blocks: number | undefined }
    readonly out: ChainWindow
  }
  /** Of the last `blocks` (−1: since the difficulty changed) up to `height` (−1: the tip's). */
  readonly networkWork: { readonly in: { readonly blocks: number; readonly height: number }; readonly out: NetworkWork }
  /** `assemble`: the answer is for a miner. */
  readonly nextBlock: { readonly in: { readonly assemble: boolean }; readonly out: NextBlock }
  /** The block of a transaction that has unspent outputs. */
  readonly coinBlock: { readonly in: { readonly txid: Hash }; readonly out: Hash | undefined }
  /** How the engine's thread and its coin cache are doing. */
  readonly figures: { readonly in: void; readonly out: EngineFigures }
  /** Writes everything to disk. */
  readonly flush: { readonly in: void; readonly out: void }
  /** Writes everything to disk and closes it. No call after this one. */
  readonly close: { readonly in: void; readonly out: void }
}

export type EngineCallName = keyof EngineCalls

/** The engine refuses: `code` and `message` are what an RPC client sees. */
export interface EngineRefusal {
  readonly _tag: "EngineRefusal"
  readonly code: number
  readonly message: string
}

/** Notifications of the engine, in the order in which things happened. */
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
  | { readonly _tag: "TransactionAdded"; readonly transaction: MempoolTransaction }
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
