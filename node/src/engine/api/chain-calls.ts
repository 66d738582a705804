import type { Hash, Height, UnixSeconds, Work } from "@lockstep/kernel/quantities"
import type { Seconds } from "../../quantities.ts"
import type { DeploymentHeights } from "@lockstep/kernel/parameters"
import type { DeploymentState, SignallingStatistics } from "@lockstep/kernel/deployment"
import type { FilePosition } from "../../storage/block-files/block-files.ts"
import type { Call } from "./call.ts"

/** A block of the header index, with the facts that callers can request. */
export interface BlockFacts {
  readonly hash: Hash
  readonly header: Uint8Array
  readonly height: Height
  /** Blocks on top of it in the active chain, plus one; −1 if it is not in the active chain. */
  readonly confirmations: number
  readonly medianTime: UnixSeconds
  readonly chainWork: Work
  /** Number of transactions; 0 while only the header is known. */
  readonly transactions: number
  readonly next: Hash | undefined
  /** Position of the block in the block files; `undefined` if it was never stored or was pruned. */
  readonly block: FilePosition | undefined
  readonly undo: FilePosition | undefined
  readonly pruned: boolean
}

export interface ChainTip {
  readonly height: Height
  readonly hash: Hash
  readonly branchLength: number
  readonly status: "active" | "invalid" | "headers-only" | "valid-headers" | "valid-fork"
}

/** A deployment that miners signal for, as of one block. Times are Unix seconds. */
export interface SignalledDeployment {
  readonly name: string
  readonly bit: number
  readonly startTime: UnixSeconds
  /** `undefined` if the deployment never times out. */
  readonly timeout: UnixSeconds | undefined
  readonly minActivationHeight: Height
  /** State for the block itself; `since` is the height at which that state began. */
  readonly state: DeploymentState
  readonly since: Height
  /** State for the block on top of it. */
  readonly next: DeploymentState
  /** Signals of the current period up to the block, oldest first; `undefined` while signals do not count. */
  readonly counted: SignallingStatistics & { readonly signalling: ReadonlyArray<boolean> } | undefined
}

export interface DeploymentFacts {
  readonly hash: Hash
  readonly height: Height
  /** Script verification flags of the block. */
  readonly flags: number
  readonly heights: DeploymentHeights
  readonly signalled: ReadonlyArray<SignalledDeployment>
}

/** Consecutive blocks of the active chain that end at one block. */
export interface ChainWindow {
  readonly hash: Hash
  readonly height: Height
  readonly time: UnixSeconds
  /** Transactions of the chain up to the last block, and up to the block before the first; 0 if unknown. */
  readonly transactions: number
  readonly transactionsBefore: number
  readonly blocks: number
  /** Seconds between the median times of its two ends. */
  readonly seconds: Seconds
}

export interface NetworkWork {
  readonly work: Work
  readonly seconds: Seconds
}

/** The result of a submitted block: `undefined` if the block is valid and the tip, else the reason (BIP22). */
export interface SubmitAnswer {
  readonly result: string | undefined
}

interface AtHash {
  readonly hash: Hash
}

interface BlockBytes {
  readonly bytes: Uint8Array
}

/** Calls about blocks and the chain. */
export interface ChainCalls {
  /** Accepts a block and activates the best chain. */
  readonly submitBlock: Call<BlockBytes, SubmitAnswer, "Undecodable">
  readonly submitHeader: Call<BlockBytes, void, "Undecodable" | "PreviousHeaderNotFound" | "HeaderRejected">
  /** Tests whether this block could be the next one, proof of work apart. Stores nothing. */
  readonly proposeBlock: Call<BlockBytes, SubmitAnswer, "Undecodable">
  readonly invalidateBlock: Call<AtHash, void, "BlockNotFound" | "BlockPruned" | "SnapshotNotConfirmed">
  readonly reconsiderBlock: Call<AtHash, void, "BlockNotFound">
  readonly preciousBlock: Call<AtHash, void, "BlockNotFound">
  readonly blockFacts: Call<AtHash, BlockFacts | undefined>
  readonly hashAt: Call<{ readonly height: Height }, Hash | undefined>
  readonly chainTips: Call<void, ReadonlyArray<ChainTip>>
  /** `hash` is `undefined` for the tip. */
  readonly deployments: Call<{ readonly hash: Hash | undefined }, DeploymentFacts | undefined>
  /** `last` defaults to the tip; `blocks` defaults to the number of blocks in a month. */
  readonly chainWindow: Call<
    { readonly last: Hash | undefined; readonly blocks: number | undefined },
    ChainWindow,
    "BlockNotFound" | "BlockNotInActiveChain" | "WindowTooLong"
  >
  /** Estimates from the last `blocks` (−1: since the difficulty changed) up to `height` (−1: the tip). */
  readonly networkWork: Call<
    { readonly blocks: number; readonly height: Height },
    NetworkWork,
    "InvalidBlockCount" | "HeightNotInActiveChain"
  >
}
