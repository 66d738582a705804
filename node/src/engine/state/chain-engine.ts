import type { Milliseconds } from "../../quantities.ts"
import type { ScriptCheckReason } from "@lockstep/kernel/chain"
import type { Crypto } from "@lockstep/kernel/crypto"
import type { ChainParameters } from "@lockstep/kernel/parameters"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import type { CoinCache } from "../../coins/coin-cache.ts"
import type { BlockFileInfo, BlockFiles, UndoCodec } from "../../storage/block-files/block-files.ts"
import type { Disk } from "../../storage/disk/disk.ts"
import type { KeyValueStore } from "../../storage/key-value/key-value-store.ts"
import type { EngineNotification } from "../api/engine-notification.ts"
import type { ChainHook } from "./chain-hook.ts"
import type { ExtraTransactions } from "./extra-transactions.ts"
import type { EngineStatus } from "./engine-status.ts"
import type { Clock } from "../options/clock.ts"
import type { CrashPoint } from "../options/crash-point.ts"
import type { EngineOptions } from "../options/engine-options.ts"
import type { HeaderIndex } from "../header-index/header-index.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import type { VerifiedScripts } from "./verified-scripts.ts"
import type { HeaderIndexReplication } from "./header-index-replication.ts"
import type { UnconfirmedLookups } from "./unconfirmed-lookups.ts"
import type { ScriptCache } from "./script-cache.ts"
import type { RecentBlocks } from "./recent-blocks.ts"
import type { Scheduler } from "../options/scheduler.ts"
import type { Chainstates } from "./chainstates.ts"
import type { Snapshot } from "./snapshot.ts"
import type { ScriptPool } from "../script-pool/script-pool.ts"

/** What the engine stands on. */
export interface EngineParts {
  readonly options: EngineOptions
  readonly network: Network
  /** The network's, with what the options change. */
  readonly parameters: ChainParameters
  readonly crypto: Crypto
  readonly disk: Disk
  /** Its coins are those of the active chain. */
  readonly store: KeyValueStore
  readonly chainstates: Chainstates
  readonly files: BlockFiles
  readonly undoCodec: UndoCodec
  readonly coins: CoinCache
  readonly pool: ScriptPool
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Sends a notification to the subscribers, at once. */
  readonly notify: (notification: EngineNotification) => void
  /** Has what was sent leave the thread at once, and not when it turns to something else. */
  readonly sendNow?: (() => void) | undefined
  /**
   * Calls a listener as soon as the engine is asked to close, which may be before it takes calls. None: it is never
   * asked.
   */
  readonly onClose?: ((listener: () => void) => void) | undefined
  /** A test may have the process killed here. */
  readonly crashPoint: (name: CrashPoint) => void
  /** How often a full disk is looked at again. */
  readonly lookAgain?: Duration.Duration
}

/** The chain on this disk: its one writer's state. */
export interface ChainEngine extends EngineParts {
  readonly tree: HeaderIndex
  /** The snapshot of coins that was loaded. None: there is none, or it was confirmed before this start. */
  snapshot: Snapshot | undefined
  /** Blocks that arrived a moment ago and need not be read again. */
  readonly recent: RecentBlocks
  readonly verifiedScripts: VerifiedScripts
  /** Transactions whose scripts were verified before a block holds them. */
  readonly scriptCache: ScriptCache
  /** Transactions that compact blocks may name although the mempool does not hold them. */
  readonly extra: ExtraTransactions
  /** Look-ups of the mempool by script and value. None: no index wants them, or there is no mempool. */
  unconfirmed: UnconfirmedLookups | undefined
  readonly hooks: Array<ChainHook>
  /** Updates the replica of the header index. */
  readonly feed: HeaderIndexReplication
  /** Files whose facts are not in the store yet, by number. */
  readonly changedFiles: Map<number, BlockFileInfo>
  /** Pending notifications: they are sent after the commit of what they report. */
  readonly pendingNotifications: Array<EngineNotification>
  /** Verdicts on blocks. They are sent after a commit, before the state that shows them. */
  readonly verdicts: Array<EngineNotification>
  /** Whether something changed since the last commit. */
  dirty: boolean
  /** Is done when a tip that subscribers know already is committed. None: there is no such tip. */
  ahead: Deferred.Deferred<void> | undefined
  /** By the clock's `elapsed`. */
  lastCommit: Milliseconds
  /** Once false, false until the node stops. */
  initialBlockDownload: boolean
  /** Connecting blocks: their coins are applied and their scripts are not verified yet. */
  underWay: number
  /** Whether changes are accepted. */
  status: EngineStatus
  /** How often writing had to wait for room. */
  pauses: number
  /** Called with the cause whenever writing begins to wait for room. */
  readonly pauseListeners: Set<(cause: string) => void>
  readonly warnings: Set<string>
  /** What the log has last said of scripts: why they are verified; no reason: they are not. None: nothing so far. */
  scriptsTold: { readonly reason: ScriptCheckReason | undefined } | undefined
  /** Whether the blocks of files are being accepted. Until this ends it is unknown which blocks are missing. */
  loadingBlocks: boolean
  /** Whether many stored blocks are being connected after the start. */
  isReplaying: boolean
  /** Whether a block of a file may wait for the block with this hash. None: no block waits. */
  isAwaited: ((hash: Uint8Array) => boolean) | undefined
  /** Inputs that spend coins, in the blocks of peers connected since the start. */
  inputs: number
}

/** Called for every block that was tried as the next one of the chain. */
export type Judged = (node: HeaderIndexNode, rejection: Rejection | undefined) => void
