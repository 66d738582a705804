import type { Hash, Height, Sats } from "@lockstep/kernel/quantities"
import type { Call } from "./call.ts"
import type { SetHashType } from "../../coins/set-walk.ts"

export interface CoinFacts {
  readonly bestBlock: Hash
  readonly bestHeight: Height
  readonly value: Sats
  readonly script: Uint8Array
  readonly height: Height
  readonly isCoinbase: boolean
}

/** The set of coins after one block. */
export interface CoinSetStatistics {
  readonly height: Height
  readonly block: Hash
  readonly txouts: number
  readonly bogoSize: bigint
  readonly total: Sats
  /** Hash of the requested kind, in wire order. */
  readonly setHash: Hash | undefined
  /** Absent if the statistics come from the index. */
  readonly transactions: number | undefined
  readonly sizeOnDisk: number | undefined
  /** Present only if the statistics come from the index. */
  readonly index: IndexedStatistics | undefined
}

/** Running sums that only the coin-statistics index has, and those of this one block, in satoshis. */
export interface IndexedStatistics {
  readonly unspendable: Sats
  readonly blockInfo: {
    readonly prevoutSpent: Sats
    readonly coinbase: Sats
    readonly newOutputsExceptCoinbase: Sats
    readonly unspendable: Sats
    readonly unspendables: {
      readonly genesisBlock: Sats
      readonly bip30: Sats
      readonly scripts: Sats
      readonly unclaimedRewards: Sats
    }
  }
}

/** The statistics of the coins that a caller requests. */
export interface StatisticsRequest {
  readonly hashType: SetHashType
  /** `undefined` for the tip. Another block needs the index. */
  readonly at: { readonly hash: Hash } | { readonly height: Height } | undefined
  readonly useIndex: boolean
}

/** Result of a scan over all coins, with the block that it is valid for. */
export interface CoinScan {
  /** False if the scan was aborted. */
  readonly isComplete: boolean
  readonly height: Height
  readonly block: Hash
  /** Number of coins scanned. */
  readonly coins: number
  readonly found: ReadonlyArray<{
    readonly txid: Hash
    readonly vout: number
    readonly value: Sats
    readonly script: Uint8Array
    readonly height: Height
    readonly isCoinbase: boolean
    /** The block that created the coin. */
    readonly block: Hash
  }>
}

/** Contents of a snapshot of coins. */
export interface CoinDump {
  readonly coins: number
  /** The hash of the set, of kind `hash_serialized_3`. */
  readonly setHash: Hash
  readonly block: Hash
  readonly height: Height
  /** Number of transactions of the chain up to that block. */
  readonly transactions: number
}

/** A snapshot that was loaded. */
export interface LoadedCoins {
  readonly coins: number
  /** Hash of its block in wire order. */
  readonly block: Hash
  readonly height: Height
}

/** Calls about the coins. */
export interface CoinCalls {
  readonly coin: Call<{ readonly txid: Hash; readonly vout: number }, CoinFacts | undefined>
  /** Scans for coins with these scripts; one scan at a time. */
  readonly scanCoins: Call<{ readonly scripts: ReadonlyArray<Uint8Array> }, CoinScan, "ScanInProgress">
  /** Percentage of the running scan; `undefined` if no scan is running. */
  readonly scanProgress: Call<void, number | undefined>
  /** Aborts the running scan. Returns false if no scan was running. */
  readonly abortScan: Call<void, boolean>
  /** Writes the coins of the tip, or of a block before it, into a file in Bitcoin Core's snapshot format. */
  readonly dumpCoins: Call<
    { readonly file: string; readonly height: Height | undefined },
    CoinDump,
    "SnapshotNotWritten"
  >
  /**
   * Loads coins from a snapshot of a known block, which becomes the tip. The chain up to it is validated in the
   * background.
   */
  readonly loadCoins: Call<
    { readonly file: string },
    LoadedCoins,
    "SnapshotNotOpened" | "SnapshotMetadataBroken" | "SnapshotRefused"
  >
  readonly setStatistics: Call<
    StatisticsRequest,
    CoinSetStatistics,
    "BlockNotFound" | "HeightNotInActiveChain" | "IndexNotEnabled" | "IndexNotSynced" | "IndexEntryNotFound"
  >
  /** Hash of the block of a transaction that has unspent outputs. */
  readonly coinBlock: Call<{ readonly txid: Hash }, Hash | undefined>
}
