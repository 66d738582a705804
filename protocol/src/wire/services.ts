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

type Names = ReadonlyMap<bigint, string>

const OWN: Names = new Map(Object.entries(ServiceFlag).map(([name, flag]) => [flag, name]))

/** The bits that Bitcoin Core has names for. */
const ASSIGNED: Names = new Map([...OWN].filter(([flag]) => flag <= ServiceFlag.P2P_V2))

/**
 * Bits that other software of the live network uses. No standard assigns those from 24 to 31: the question mark says that the
 * name is what most senders mean, and no more.
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

/** The names of this node's service bits, the lowest first; a bit without a name is shown by its place. */
export const serviceNames = (services: bigint): ReadonlyArray<string> => named(services, OWN)

/** The names that Bitcoin Core has: of bits from 12 on it shows the place alone. */
export const assignedServiceNames = (services: bigint): ReadonlyArray<string> => named(services, ASSIGNED)

/** Whether a user agent is that of this software, which gives the bits the names of `ServiceFlag`. */
const isOurKind = (userAgent: string): boolean => userAgent.includes("/Lockstep:")

/**
 * Names a peer's service bits by what they mean for software with that user agent. Bit 28 means another chain's proof of work
 * for one program, and signed ban lists for another.
 */
export const peerServiceNames = (services: bigint, userAgent: string): ReadonlyArray<string> =>
  named(services, isOurKind(userAgent) ? OWN : OF_OTHERS)
