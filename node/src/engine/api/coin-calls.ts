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

/** The coins after one block. */
export interface CoinSetStatistics {
  readonly height: Height
  readonly block: Hash
  readonly txouts: number
  readonly bogoSize: bigint
  readonly total: Sats
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

/** Which statistics of the coins are asked for. */
export interface StatisticsRequest {
  readonly hashType: SetHashType
  /** None: the tip. Another block needs the index. */
  readonly at: { readonly hash: Hash } | { readonly height: Height } | undefined
  readonly useIndex: boolean
}

/** What a scan over all coins found, in the block where its answer holds. */
export interface CoinScan {
  /** False: it was aborted. */
  readonly isComplete: boolean
  readonly height: Height
  readonly block: Hash
  /** Coins that were looked at. */
  readonly coins: number
  readonly found: ReadonlyArray<{
    readonly txid: Hash
    readonly vout: number
    readonly value: Sats
    readonly script: Uint8Array
    readonly height: Height
    readonly isCoinbase: boolean
    /** The block that made it. */
    readonly block: Hash
  }>
}

/** What a snapshot of coins holds. */
export interface CoinDump {
  readonly coins: number
  /** The hash of the set, of the kind hash_serialized_3. */
  readonly setHash: Hash
  readonly block: Hash
  readonly height: Height
  /** Of the chain up to that block. */
  readonly transactions: number
}

/** A snapshot that was loaded. */
export interface LoadedCoins {
  readonly coins: number
  /** Its block, wire order. */
  readonly block: Hash
  readonly height: Height
}

/** Calls about the coins. */
export interface CoinCalls {
  readonly coin: Call<{ readonly txid: Hash; readonly vout: number }, CoinFacts | undefined>
  /** Looks for coins with these scripts; one scan at a time. */
  readonly scanCoins: Call<{ readonly scripts: ReadonlyArray<Uint8Array> }, CoinScan, "ScanInProgress">
  /** Percent of the running scan; none: there is no scan. */
  readonly scanProgress: Call<void, number | undefined>
  /** Aborts the running scan; answers whether there was one. */
  readonly abortScan: Call<void, boolean>
  /** Writes the coins of the tip, or of a block before it, into a file, in Bitcoin Core's format for snapshots. */
  readonly dumpCoins: Call<
    { readonly file: string; readonly height: Height | undefined },
    CoinDump,
    "SnapshotNotWritten"
  >
  /** Loads coins from a snapshot of a known block, which becomes the tip; the chain up to it is validated behind. */
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
  /** The block of a transaction that has unspent outputs. */
  readonly coinBlock: Call<{ readonly txid: Hash }, Hash | undefined>
}
