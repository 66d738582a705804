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

/** The dependencies of the engine. */
export interface EngineParts {
  readonly options: EngineOptions
  readonly network: Network
  /** Parameters of the network, with the changes of the options. */
  readonly parameters: ChainParameters
  readonly crypto: Crypto
  readonly disk: Disk
  /** The store; its coins are those of the active chain. */
  readonly store: KeyValueStore
  readonly chainstates: Chainstates
  readonly files: BlockFiles
  readonly undoCodec: UndoCodec
  readonly coins: CoinCache
  readonly pool: ScriptPool
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Sends a notification to the subscribers at once. */
  readonly notify: (notification: EngineNotification) => void
  /** Flushes sent messages from the thread at once, without waiting for the event loop. */
  readonly sendNow?: (() => void) | undefined
  /**
   * Calls a listener as soon as the engine is to close, which may be before it accepts calls. Absent if it is never
   * closed this way.
   */
  readonly onClose?: ((listener: () => void) => void) | undefined
  /** A point at which a test may kill the process. */
  readonly crashPoint: (name: CrashPoint) => void
  /** Interval between two checks of a full disk. */
  readonly lookAgain?: Duration.Duration
}

/** The state of the chain on this disk, owned by its one writer. */
export interface ChainEngine extends EngineParts {
  readonly tree: HeaderIndex
  /** The snapshot that was loaded; `undefined` without one, or if it was confirmed before this start. */
  snapshot: Snapshot | undefined
  /** Blocks that arrived recently and need not be read again. */
  readonly recent: RecentBlocks
  readonly verifiedScripts: VerifiedScripts
  /** Transactions whose scripts were verified before a block contains them. */
  readonly scriptCache: ScriptCache
  /** Transactions that compact blocks may contain although the mempool does not hold them. */
  readonly extra: ExtraTransactions
  /** Look-ups of the mempool by script and value; `undefined` without a mempool or an index that needs them. */
  unconfirmed: UnconfirmedLookups | undefined
  readonly hooks: Array<ChainHook>
  /** Updates the replica of the header index. */
  readonly feed: HeaderIndexReplication
  /** Files whose facts are not in the store yet, by number. */
  readonly changedFiles: Map<number, BlockFileInfo>
  /** Pending notifications, sent after the commit of the changes that they report. */
  readonly pendingNotifications: Array<EngineNotification>
  /** Verdicts on blocks, sent after a commit and before the state that shows them. */
  readonly verdicts: Array<EngineNotification>
  /** True if something changed since the last commit. */
  dirty: boolean
  /** Completes when the tip that subscribers already know is committed; `undefined` if no tip is announced early. */
  ahead: Deferred.Deferred<void> | undefined
  /** Time of the last commit, by the clock's `elapsed`. */
  lastCommit: Milliseconds
  /** Once false, it stays false until the node stops. */
  initialBlockDownload: boolean
  /** Number of connecting blocks: their coins are applied and their scripts are not verified yet. */
  underWay: number
  /** The status that decides whether changes are accepted. */
  status: EngineStatus
  /** Number of times that writing had to wait for disk space. */
  pauses: number
  /** Called with the cause whenever writing begins to wait for disk space. */
  readonly pauseListeners: Set<(cause: string) => void>
  readonly warnings: Set<string>
  /**
   * The last logged state of script verification: `reason` is set if scripts are verified. `undefined` if nothing was
   * logged.
   */
  scriptsTold: { readonly reason: ScriptCheckReason | undefined } | undefined
  /** True while block files are being imported. Until then it is unknown which blocks are missing. */
  loadingBlocks: boolean
  /** True while many stored blocks are being connected after the start. */
  isReplaying: boolean
  /** Reports whether a block of a file may wait for the block with this hash. `undefined` if no block waits. */
  isAwaited: ((hash: Uint8Array) => boolean) | undefined
  /** Inputs of the blocks that peers sent and that were connected since the start, without coinbases. */
  inputs: number
}

/** Called for every block that was tried as the next one of the chain. */
export type Judged = (node: HeaderIndexNode, rejection: Rejection | undefined) => void
