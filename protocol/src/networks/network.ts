import type { Height, UnixSeconds } from "@lockstep/kernel/quantities"
import type { BlockId, ChainParameters } from "@lockstep/kernel/parameters"

/** The networks this software knows. */
export type NetworkName = "mainnet" | "testnet3" | "testnet4" | "signet" | "regtest"

/**
 * A UTXO set that a release vouches for: the block it belongs to, the serialized hash of the set, transactions up to
 * there.
 */
export interface AssumeUtxo extends BlockId {
  /** Wire order. */
  readonly setHash: Uint8Array
  readonly chainTransactions: number
}

/** Transactions of a network's chain up to one time, and how many more there have been a second since about then. */
export interface ChainTransactions {
  /** Unix seconds. */
  readonly time: UnixSeconds
  readonly count: number
  readonly rate: number
}

/** When a signalled deployment activates (BIP9, as changed by BIP8's heights). Times are Unix seconds. */
export interface DeploymentTimes {
  /** -1: it is active always; -2: never. */
  readonly startTime: UnixSeconds
  /** Infinity: none. */
  readonly timeout: UnixSeconds
  readonly minActivationHeight: Height
}

/** How addresses of a network begin. */
export interface AddressPrefixes {
  readonly publicKeyHash: number
  readonly scriptHash: number
  /** The human-readable part of addresses of witness programs. */
  readonly witness: string
}

/** How a chain of headers is fetched whose work is not known to be enough (presync; Core: `HeadersSyncParams`). */
export interface HeadersSyncParameters {
  /** One commitment bit is kept for this many headers. */
  readonly commitmentPeriod: number
  /** Headers that are held back in the redownload, so that about 24 bits vouch for what is released. */
  readonly redownloadBuffer: number
}

/** All in which one network differs from another: its consensus, and how its nodes find and know each other. */
export interface Network {
  readonly name: NetworkName
  readonly parameters: ChainParameters
  /** The first block in full. Its coinbase creates no coin. */
  readonly genesisBlock: Uint8Array
  /** The four bytes that start every message, and every block in a block file. */
  readonly magic: Uint8Array
  readonly port: number
  readonly addresses: AddressPrefixes
  /** Host names that answer with addresses of nodes. Only names: nothing here resolves them. */
  readonly dnsSeeds: ReadonlyArray<string>
  /** When the deployment for tests activates, on regtest; none: as by itself. */
  readonly testDummy?: DeploymentTimes
  /** Work that the best known chain has at least; a chain with less is not worth storing headers of. */
  readonly minimumChainWork: bigint
  readonly headersSync: HeadersSyncParameters
  /** A block whose ancestors' scripts a release found valid. */
  readonly assumedValid: BlockId | undefined
  readonly assumeUtxo: ReadonlyArray<AssumeUtxo>
  /** The height that the chain must reach before it is pruned; none: that of the network. */
  readonly pruneAfterHeight?: Height
  /** For guessing how far a download has come: no rule depends on it. */
  readonly chainTransactions: ChainTransactions
}
