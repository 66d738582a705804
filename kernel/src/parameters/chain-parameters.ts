import type { Bytes, Hash, Height, Target } from "../quantities.ts"
import type { ScriptFlags } from "../script/flags.ts"

/** Heights from which a buried deployment is in force; 0 is from genesis on. */
export interface DeploymentHeights {
  readonly bip34: Height
  readonly bip65: Height
  readonly bip66: Height
  readonly csv: Height
  readonly segwit: Height
}

/** One block, by height and by hash in wire order. */
export interface BlockId {
  readonly height: Height
  readonly hash: Hash
}

/** Parameters of the difficulty. Times in seconds; `powLimit` is the easiest target. */
export interface WorkParameters {
  readonly powLimit: Target
  readonly targetTimespan: number
  readonly targetSpacing: number
  readonly allowMinDifficulty: boolean
  readonly noRetargeting: boolean
  readonly bip94: boolean
}

/**
 * Everything in which the consensus of one network differs from another's. Plain data that `protocol/` supplies; rules
 * are handed the part they use.
 */
export interface ChainParameters {
  readonly genesisHash: Hash
  readonly work: WorkParameters
  readonly heights: DeploymentHeights
  /**
   * The block at the BIP34 height whose descendants cannot repeat a coinbase; `undefined` if this network has no such
   * shortcut.
   */
  readonly bip34Hash: Hash | undefined
  /** Blocks whose scripts are judged under other flags than their height says, by hash. */
  readonly scriptFlagExceptions: ReadonlyArray<{ readonly hash: Hash; readonly flags: ScriptFlags }>
  /** The blocks that repeat an unspent coinbase and are valid all the same. */
  readonly repeatedCoinbases: ReadonlyArray<BlockId>
  readonly subsidyHalvingInterval: number
  /** The script that a block of a signed network satisfies (BIP325); `undefined` on other networks. */
  readonly signetChallenge: Bytes | undefined
}
