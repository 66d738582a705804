import type { BlockIdentity } from "@lockstep/kernel/block/check-block.ts"
import type { Crypto } from "@lockstep/kernel/crypto/crypto.ts"
import type { ChainParameters } from "@lockstep/kernel/deployment/parameters.ts"
import type { Block } from "@lockstep/kernel/model/block.ts"
import { blockHash } from "@lockstep/kernel/model/identity.ts"
import { transactionIds } from "@lockstep/kernel/block/merkle-commitment.ts"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type * as Duration from "effect/Duration"
import type { CoinCache } from "../coins/coin-cache.ts"
import type { BlockFileInfo, BlockFiles, UndoCodec } from "../storage/block-files/block-files.ts"
import type { Disk } from "../storage/disk/disk.ts"
import type { KeyValueStore } from "../storage/key-value/key-value-store.ts"
import type { EngineNews } from "./calls/engine-calls.ts"
import type { ChainHook } from "./chain-hook.ts"
import type { Clock } from "./clock.ts"
import type { EngineOptions } from "./engine-options.ts"
import type { HeaderTree } from "./header-tree/header-tree.ts"
import type { TreeNode } from "./header-tree/tree-node.ts"
import type { JudgedScripts } from "./judged-scripts.ts"
import type { TreeFeed } from "./mirror/tree-feed.ts"
import type { RecentBlocks } from "./recent-blocks.ts"
import type { ScriptPool } from "./script-pool/script-pool.ts"

/** What the engine stands on. */
export interface EngineParts {
  readonly options: EngineOptions
  readonly network: Network
  /** The network's, with what the options change. */
  readonly parameters: ChainParameters
  readonly crypto: Crypto
  readonly disk: Disk
  readonly store: KeyValueStore
  readonly files: BlockFiles
  readonly undoCodec: UndoCodec
  readonly coins: CoinCache
  readonly pool: ScriptPool
  readonly clock: Clock
  /** Tells whoever listens, at once. */
  readonly tell: (news: EngineNews) => void
  /** Calls a listener as soon as somebody wants the engine to close, which may be before it takes calls. None: nobody does. */
  readonly onClose?: ((listener: () => void) => void) | undefined
  /** How often a full disk is looked at again. */
  readonly lookAgain?: Duration.Duration
}

/** The chain on this disk: its one writer's state. */
export interface ChainEngine extends EngineParts {
  readonly tree: HeaderTree
  /** Blocks that arrived a moment ago and need not be read again. */
  readonly recent: RecentBlocks
  readonly judgedScripts: JudgedScripts
  readonly hooks: Array<ChainHook>
  /** For whoever keeps a copy of the header tree. */
  readonly feed: TreeFeed
  /** Files whose facts are not in the store yet, by number. */
  readonly changedFiles: Map<number, BlockFileInfo>
  /** News that wait for the commit of what they tell. */
  readonly withheld: Array<EngineNews>
  /** How blocks were judged: told like what is withheld, and before the state that shows it. */
  readonly verdicts: Array<EngineNews>
  /** Whether something changed since the last commit. */
  dirty: boolean
  /** Milliseconds since 1970. */
  lastCommit: number
  /** Once false, false until the node stops. */
  initialBlockDownload: boolean
  /** Blocks whose coins are applied and whose scripts are not judged yet. */
  underWay: number
  /** Set when the node stops: long tasks end at the next block. */
  closing: boolean
  /** Why nothing may change any more. */
  broken: string | undefined
  /** Why nothing is written just now. */
  paused: string | undefined
  /** Why no change is taken on just now: so little space that the disk would soon be full. */
  lowSpace: string | undefined
  readonly warnings: Set<string>
  /** Whether blocks are being taken in that stand in files: until then nobody knows which ones are missing. */
  takingIn: boolean
  /** Whether a block that stands in a file may wait for the one with this hash; none: none waits. */
  isAwaited: ((hash: Uint8Array) => boolean) | undefined
  /** Inputs that spend coins, in the blocks of peers connected since the start. */
  inputs: number
}

/** A block with what is computed of it once. */
export interface IdentifiedBlock {
  readonly block: Block
  readonly identity: BlockIdentity
  /** Its bytes were handed over or read for this: nobody outside the engine has them. */
  readonly isOurs?: boolean
}

/** The hash of `block` and the ids of all its transactions. */
export const identified = (block: Block, crypto: Crypto): IdentifiedBlock =>
  ({ block, identity: { hash: blockHash(block.header, crypto), transactionIds: transactionIds(block, crypto) } })

/** Hears of every block that was tried as the next one of the chain. */
export type Judged = (node: TreeNode, rejection: Rejection | undefined) => void
