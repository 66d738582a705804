/** Services of a peer: bits that it announces about itself and others. */
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

/** Reports whether all bits of `wanted` are in `services`. */
export const offers = (services: bigint, wanted: bigint): boolean => (services & wanted) === wanted

type Names = ReadonlyMap<bigint, string>

const OWN: Names = new Map(Object.entries(ServiceFlag).map(([name, flag]) => [flag, name]))

/** The bits that Bitcoin Core names. */
const ASSIGNED: Names = new Map([...OWN].filter(([flag]) => flag <= ServiceFlag.P2P_V2))

/**
 * Bits that other software of the live network uses. No standard assigns those from 24 to 31. The question mark means
 * that the name is only what most senders mean.
 */
const OF_OTHERS: Names = new Map([
  ...ASSIGNED,
  [1n << 12n, "UTREEXO"],
  [1n << 13n, "UTREEXO_ARCHIVE"],
  [1n << 24n, "DANDELION?"],
  [1n << 25n, "PACKAGE_RELAY?"],
  [1n << 26n, "REPLACE_BY_FEE?"],
  [1n << 27n, "REDUCED_DATA?"],
  [1n << 28n, "BLAKE2B?"],
  [1n << 29n, "LIBRE_RELAY?"]
])

const BITS = Array.from({ length: 64 }, (_, i) => BigInt(i))

const named = (services: bigint, names: Names): ReadonlyArray<string> =>
  BITS.filter((i) => (services >> i & 1n) === 1n).map((i) => names.get(1n << i) ?? `UNKNOWN[2^${i}]`)

/** Returns the names of this node's service bits, the lowest first. A bit without a name is shown by its position. */
export const serviceNames = (services: bigint): ReadonlyArray<string> => named(services, OWN)

/** Returns Bitcoin Core's names; bits from 12 on are shown by their position. */
export const assignedServiceNames = (services: bigint): ReadonlyArray<string> => named(services, ASSIGNED)

/** Reports whether a user agent is that of this software, which names the bits as in `ServiceFlag`. */
const isOurKind = (userAgent: string): boolean => userAgent.includes("/Lockstep:")

/**
 * Names a peer's service bits by their meaning in software with that user agent. Bit 28 means another chain's proof of
 * work in one program, and signed ban lists in another.
 */
export const peerServiceNames = (services: bigint, userAgent: string): ReadonlyArray<string> =>
  named(services, isOurKind(userAgent) ? OWN : OF_OTHERS)
