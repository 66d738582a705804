import type { Height, UnixSeconds } from "@lockstep/kernel/quantities"
import type { BlockId, ChainParameters } from "@lockstep/kernel/parameters"

/** The networks this software knows. */
export type NetworkName = "mainnet" | "testnet3" | "testnet4" | "signet" | "regtest"

/**
 * A UTXO set that a release vouches for: its block, the serialized hash of the set, and the number of transactions up
 * to the block.
 */
export interface AssumeUtxo extends BlockId {
  /** Hash in wire order. */
  readonly setHash: Uint8Array
  readonly chainTransactions: number
}

/** Transactions of a network's chain up to one time, and the rate per second since about then. */
export interface ChainTransactions {
  /** Unix seconds. */
  readonly time: UnixSeconds
  readonly count: number
  readonly rate: number
}

/** Activation times of a signalled deployment (BIP9, as changed by BIP8's heights), in Unix seconds. */
export interface DeploymentTimes {
  /** -1 if it is always active, -2 if never. */
  readonly startTime: UnixSeconds
  /** Infinity if it never times out. */
  readonly timeout: UnixSeconds
  readonly minActivationHeight: Height
}

/** Prefixes of a network's addresses. */
export interface AddressPrefixes {
  readonly publicKeyHash: number
  readonly scriptHash: number
  /** The human-readable part of addresses of witness programs. */
  readonly witness: string
}

/**
 * Parameters for fetching a chain of headers whose work is not known to be enough (presync; Core: `HeadersSyncParams`).
 */
export interface HeadersSyncParameters {
  /** One commitment bit is kept for this many headers. */
  readonly commitmentPeriod: number
  /** Number of headers held back in the redownload, so that about 24 bits vouch for the released ones. */
  readonly redownloadBuffer: number
}

/** All differences between networks: their consensus parameters, and how their nodes find and identify each other. */
export interface Network {
  readonly name: NetworkName
  readonly parameters: ChainParameters
  /** The first block in full. Its coinbase creates no coin. */
  readonly genesisBlock: Uint8Array
  /** The four bytes that start every message, and every block in a block file. */
  readonly magic: Uint8Array
  readonly port: number
  readonly addresses: AddressPrefixes
  /** Host names that resolve to addresses of nodes. This package never resolves them. */
  readonly dnsSeeds: ReadonlyArray<string>
  /** Activation times of the deployment for tests, on regtest; `undefined` for the default. */
  readonly testDummy?: DeploymentTimes
  /** The least work of the best known chain. Headers of a chain with less work are not stored. */
  readonly minimumChainWork: bigint
  readonly headersSync: HeadersSyncParameters
  /** A block whose ancestors' scripts a release found valid. */
  readonly assumedValid: BlockId | undefined
  readonly assumeUtxo: ReadonlyArray<AssumeUtxo>
  /** The height that the chain must reach before it is pruned; `undefined` for the network's default. */
  readonly pruneAfterHeight?: Height
  /** Data for estimating the progress of a download; no rule depends on it. */
  readonly chainTransactions: ChainTransactions
}
