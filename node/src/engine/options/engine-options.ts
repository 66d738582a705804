import type { Height, UnixSeconds } from "@lockstep/kernel/quantities"
import type { Seconds } from "../../quantities.ts"
import type { NetworkChanges } from "@lockstep/protocol/networks/changed-network.ts"
import type { NetworkName } from "@lockstep/protocol/networks/network.ts"
import type { CoinEviction } from "../../coins/eviction.ts"
import type { IndexSwitches } from "./index-switches.ts"
import type { MempoolSettings } from "./settings.ts"
import type { MiningOptions } from "./mining-options.ts"
import type { TestHooks } from "./test-hooks.ts"

/** The blocks whose scripts may be assumed valid. All other rules are checked for them. */
export type AssumedValid =
  | { readonly _tag: "NetworkDefault" }
  | { readonly _tag: "Nothing" }
  /** A hash in display order. */
  | { readonly _tag: "Block"; readonly hash: string }
  | { readonly _tag: "Height"; readonly height: Height }

/** The part of the block files that is kept. */
export type Pruning =
  | { readonly _tag: "Disabled" }
  /** Prunes only on `pruneblockchain`. */
  | { readonly _tag: "Manual" }
  | { readonly _tag: "TargetSize"; readonly bytes: number }
  /** Keeps the newest `blocks` and, if a height is given, everything from it on. */
  | { readonly _tag: "KeepBlocks"; readonly blocks: number; readonly fromHeight?: Height }

/** All start options of the engine, as plain data for its thread. */
export interface EngineOptions extends IndexSwitches {
  readonly network: NetworkName
  /** Changes of the operator to the network's parameters. */
  readonly networkChanges?: NetworkChanges
  /** Maximum age of the tip, in seconds, at which the initial block download ends; {@link MAX_TIP_AGE} by default. */
  readonly maxTipAge?: Seconds
  /** Regtest only: heights of deployments by name, as in `protocol`. */
  readonly activationHeights: Readonly<Record<string, number>>
  /** Regtest only: Unix seconds that replace the machine's clock from the start on. Absent or 0 for the machine's clock. */
  readonly mockTime?: UnixSeconds
  /** The data directory of this network. */
  readonly directory: string
  /** Directory of block and undo files; by default `blocks` in the data directory. */
  readonly blocksDirectory?: string
  /** Directory of the store; by default the data directory. */
  readonly storeDirectory?: string
  readonly backend: "auto" | "heed3" | "leveldb" | "memory"
  /** Bitcoin Core's `blocks` directory, which is read in place; `undefined` to use only the node's own files. */
  readonly coreBlocks: string | undefined
  /** True if those blocks are copied into the node's own files. Bitcoin Core's directory is not needed after that. */
  readonly copyCoreBlocks?: boolean
  readonly dbcacheBytes: number
  /** `dynamic` by default. */
  readonly coinEviction?: CoinEviction
  readonly scriptWorkers: number
  readonly assumedValid: AssumedValid
  readonly pruning: Pruning
  readonly mempool: MempoolSettings
  /** Free space in bytes below which nothing is written. */
  readonly minimumFreeBytes: number
  /** True if every connected block is notified with its figures, for the log. */
  readonly notifiesTips?: boolean
  /** True if a notification lists the transactions of each template, for the log. */
  readonly notifiesSelections?: boolean
  /** Bytes for transactions whose scripts are known to be valid; 9 MiB by default. */
  readonly scriptCacheBytes?: number
  /** Deletes everything except blocks, and rebuilds it from them. */
  readonly rebuild?: boolean
  /** Deletes the coins, and rebuilds them by connecting the stored blocks. */
  readonly rebuildCoins?: boolean
  /** {@link DEFAULT_MINING_OPTIONS} by default. */
  readonly mining?: MiningOptions
  /** The largest size of block files; that of Bitcoin Core by default. */
  readonly blockFileBytes?: number
  /** True, the default, if new block files may be XORed with a key. */
  readonly isXored?: boolean
  readonly testHooks?: TestHooks
}
