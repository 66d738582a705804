import type { Hash, Height, UnixSeconds, Work } from "@lockstep/kernel/quantities"
import type { Seconds } from "../../quantities.ts"
import type { DeploymentHeights } from "@lockstep/kernel/parameters"
import type { DeploymentState, SignallingStatistics } from "@lockstep/kernel/deployment"
import type { FilePosition } from "../../storage/block-files/block-files.ts"
import type { Call } from "./call.ts"

/** A block of the header index, with the facts that a call can ask for. */
export interface BlockFacts {
  readonly hash: Hash
  readonly header: Uint8Array
  readonly height: Height
  /** Blocks on top of it in the active chain plus one; −1: not in the active chain. */
  readonly confirmations: number
  readonly medianTime: UnixSeconds
  readonly chainWork: Work
  /** 0 while the block itself is not known. */
  readonly transactions: number
  readonly next: Hash | undefined
  /** Where its bytes are; none: not here, or pruned. */
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

/** A deployment that miners signal for, seen from one block. Times are Unix seconds. */
export interface SignalledDeployment {
  readonly name: string
  readonly bit: number
  readonly startTime: UnixSeconds
  /** None: it never fails. */
  readonly timeout: UnixSeconds | undefined
  readonly minActivationHeight: Height
  /** For the block itself, and the height since when. */
  readonly state: DeploymentState
  readonly since: Height
  /** For the block on top of it. */
  readonly next: DeploymentState
  /** While signals count: those of the period up to the block, oldest first. */
  readonly counted: SignallingStatistics & { readonly signalling: ReadonlyArray<boolean> } | undefined
}

export interface DeploymentFacts {
  readonly hash: Hash
  readonly height: Height
  /** The flags of the block's scripts. */
  readonly flags: number
  readonly heights: DeploymentHeights
  readonly signalled: ReadonlyArray<SignalledDeployment>
}

/** The last blocks up to one of the active chain. */
export interface ChainWindow {
  readonly hash: Hash
  readonly height: Height
  readonly time: UnixSeconds
  /** Of the chain up to the last block, and up to the one before the first; 0: unknown. */
  readonly transactions: number
  readonly transactionsBefore: number
  readonly blocks: number
  /** Between the median times. */
  readonly seconds: Seconds
}

export interface NetworkWork {
  readonly work: Work
  readonly seconds: Seconds
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

/** Calls about blocks and the chain. */
export interface ChainCalls {
  /** Accepts a block and activates the best chain. */
  readonly submitBlock: Call<BlockBytes, SubmitAnswer, "Undecodable">
  readonly submitHeader: Call<BlockBytes, void, "Undecodable" | "PreviousHeaderNotFound" | "HeaderRejected">
  /** Whether this block, proof of work apart, could be the next one. Nothing is kept. */
  readonly proposeBlock: Call<BlockBytes, SubmitAnswer, "Undecodable">
  readonly invalidateBlock: Call<AtHash, void, "BlockNotFound" | "BlockPruned" | "SnapshotNotConfirmed">
  readonly reconsiderBlock: Call<AtHash, void, "BlockNotFound">
  readonly preciousBlock: Call<AtHash, void, "BlockNotFound">
  readonly blockFacts: Call<AtHash, BlockFacts | undefined>
  readonly hashAt: Call<{ readonly height: Height }, Hash | undefined>
  readonly chainTips: Call<void, ReadonlyArray<ChainTip>>
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
    { readonly blocks: number; readonly height: Height },
    NetworkWork,
    "InvalidBlockCount" | "HeightNotInActiveChain"
  >
}
