import type { Height, UnixSeconds } from "@lockstep/kernel/quantities"
import type { Seconds } from "../../quantities.ts"
import type { NetworkChanges } from "@lockstep/protocol/networks/changed-network.ts"
import type { NetworkName } from "@lockstep/protocol/networks/network.ts"
import type { CoinEviction } from "../../coins/eviction.ts"
import type { IndexSwitches } from "./index-switches.ts"
import type { MempoolSettings } from "./settings.ts"
import type { MiningOptions } from "./mining-options.ts"
import type { TestHooks } from "./test-hooks.ts"

/** Which blocks' scripts may be assumed valid. Everything else about those blocks is checked. */
export type AssumedValid =
  | { readonly _tag: "NetworkDefault" }
  | { readonly _tag: "Nothing" }
  /** Display order, as people write it. */
  | { readonly _tag: "Block"; readonly hash: string }
  | { readonly _tag: "Height"; readonly height: Height }

/** How much of the block files is kept. */
export type Pruning =
  | { readonly _tag: "Disabled" }
  /** Only by `pruneblockchain`. */
  | { readonly _tag: "Manual" }
  | { readonly _tag: "TargetSize"; readonly bytes: number }
  /** The newest `blocks`, and, where a height is given, also everything from it on. */
  | { readonly _tag: "KeepBlocks"; readonly blocks: number; readonly fromHeight?: Height }

/** All options the engine starts with: plain data that crosses into its thread. */
export interface EngineOptions extends IndexSwitches {
  readonly network: NetworkName
  /** What an operator changed about it; none: nothing. */
  readonly networkChanges?: NetworkChanges
  /** Seconds that the tip may be old when the initial download ends; none: {@link MAX_TIP_AGE}. */
  readonly maxTipAge?: Seconds
  /** Regtest only: heights of deployments by name, as `protocol` knows them. */
  readonly activationHeights: Readonly<Record<string, number>>
  /** Regtest only: Unix seconds that stand in for the machine's clock from the start on. None, or 0: none do. */
  readonly mockTime?: UnixSeconds
  /** The data directory of this network. */
  readonly directory: string
  /** Block and undo files; none: `blocks` in the data directory. */
  readonly blocksDirectory?: string
  /** The store; none: the data directory. */
  readonly storeDirectory?: string
  readonly backend: "auto" | "heed3" | "leveldb" | "memory"
  /** Bitcoin Core's `blocks` directory, read in place. None: only our own files. */
  readonly coreBlocks: string | undefined
  /** Its blocks are copied into our own files instead. After that the directory is not needed any more. */
  readonly copyCoreBlocks?: boolean
  readonly dbcacheBytes: number
  /** None: `dynamic`. */
  readonly coinEviction?: CoinEviction
  readonly scriptWorkers: number
  readonly assumedValid: AssumedValid
  readonly pruning: Pruning
  readonly mempool: MempoolSettings
  /** Below this much free space nothing is written any more. */
  readonly minimumFreeBytes: number
  /** Whether every connected block is notified of with its figures, for a log of each. */
  readonly notifiesTips?: boolean
  /** Whether a notification lists the transactions of each template, for a log of them. */
  readonly notifiesSelections?: boolean
  /** Bytes for transactions whose scripts are known to hold; none: 9 MiB. */
  readonly scriptCacheBytes?: number
  /** Throws away everything but blocks, and makes it again from them. */
  readonly rebuild?: boolean
  /** Throws away the coins, and makes them again by connecting the blocks that are here. */
  readonly rebuildCoins?: boolean
  /** None: {@link DEFAULT_MINING_OPTIONS}. */
  readonly mining?: MiningOptions
  /** The largest size of block files; none: that of Bitcoin Core. */
  readonly blockFileBytes?: number
  /** Whether block files may be under a key; none: they may. */
  readonly isXored?: boolean
  readonly testHooks?: TestHooks
}
