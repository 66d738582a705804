/** What a peer offers: bits of the services that it announces about itself and about others. */
export const ServiceFlag = {
  /** The whole chain. */
  NETWORK: 1n << 0n,
  /** Filtered connections. */
  BLOOM: 1n << 2n,
  /** Blocks and transactions with their witnesses. */
  WITNESS: 1n << 3n,
  /** Compact filters of blocks. */
  COMPACT_FILTERS: 1n << 6n,
  /** The last 288 blocks. */
  NETWORK_LIMITED: 1n << 10n,
  /** The encrypted transport. */
  P2P_V2: 1n << 11n,
  DANDELION: 1n << 24n,
  PACKAGE_RELAY: 1n << 25n,
  FIBRE: 1n << 26n,
  UTXO_COMMITMENTS: 1n << 27n,
  BAN_LIST_SHARING: 1n << 28n,
  GOVERNANCE: 1n << 29n
} as const

export type ServiceName = keyof typeof ServiceFlag

/** Whether all of `wanted` are among `services`. */
export const offers = (services: bigint, wanted: bigint): boolean => (services & wanted) === wanted

const NAMES: ReadonlyMap<bigint, string> = new Map(Object.entries(ServiceFlag).map(([name, flag]) => [flag, name]))

const BITS = Array.from({ length: 64 }, (_, i) => BigInt(i))

/** The names of service bits, the lowest first; a bit without a name is shown by its place. */
export const serviceNames = (services: bigint): ReadonlyArray<string> =>
  BITS.filter((i) => (services >> i & 1n) === 1n).map((i) => NAMES.get(1n << i) ?? `UNKNOWN[2^${i}]`)
