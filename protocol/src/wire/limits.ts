/** A limit on requests of peers, with its unit and its source. */
export interface Limit {
  readonly most: number
  readonly unit: string
  readonly source: string
}

/** Fixed limits: peers respect them, or the format cannot exceed them. */
export const LIMITS = {
  block: { most: 4_000_000, unit: "bytes of a block", source: "Core MAX_BLOCK_SERIALIZED_SIZE" },
  unconfirmedTransaction: {
    most: 1_000_000,
    unit: "bytes of a transaction outside a block",
    source: "contract: protocol validation size limits"
  },
  message: {
    most: 4_000_000,
    unit: "bytes of a payload, whatever its command",
    source: "Core MAX_PROTOCOL_MESSAGE_LENGTH"
  },
  userAgent: { most: 256, unit: "bytes of a user agent", source: "Core MAX_SUBVERSION_LENGTH" },
  locatorHashes: { most: 101, unit: "hashes of a locator", source: "Core MAX_LOCATOR_SZ" },
  addressLength: { most: 512, unit: "bytes of an address", source: "BIP155" },
  blockTransactions: {
    most: 65_535,
    unit: "transactions that a compact block can number",
    source: "BIP152: indexes have 16 bits"
  },
  filterRange: { most: 1_000, unit: "filters that one request may ask for", source: "Core MAX_GETCFILTERS_SIZE" },
  filterHeaderRange: {
    most: 2_000,
    unit: "filter headers that one request may ask for",
    source: "Core MAX_GETCFHEADERS_SIZE"
  },
  filterCheckpoints: {
    most: 31_250,
    unit: "filter headers of a checkpoint message",
    source: "BIP157: one in a thousand blocks, in a megabyte"
  },
  bloomFilter: { most: 36_000, unit: "bytes of a bloom filter", source: "Core MAX_BLOOM_FILTER_SIZE; BIP37" },
  bloomFunctions: { most: 50, unit: "hash functions of a bloom filter", source: "Core MAX_HASH_FUNCS; BIP37" },
  bloomElement: { most: 520, unit: "bytes added to a bloom filter", source: "Core MAX_SCRIPT_ELEMENT_SIZE; BIP37" },
  merkleHashes: {
    most: 16_666,
    unit: "hashes that prove which transactions a block has",
    source: "Core MAX_BLOCK_WEIGHT / MIN_TRANSACTION_WEIGHT"
  },
  packageRequest: { most: 100, unit: "transactions of a package that one message names", source: "BIP331" },
  packageBytes: {
    most: 404_000,
    unit: "bytes of the transactions of a package",
    source: "Core MAX_PACKAGE_WEIGHT: a byte weighs at least one"
  },
  featureId: { most: 80, unit: "bytes of a feature's name", source: "BIP434" },
  featureData: { most: 512, unit: "bytes that a feature is announced with", source: "BIP434" }
} satisfies Readonly<Record<string, Limit>>

/** Configurable limits (`[protocol_limits]`). */
export interface ProtocolLimits {
  /** Bytes of a payload, whatever its command. */
  readonly messageLength: number
  /** Addresses of one message. */
  readonly addresses: number
  /** Entries of an inventory. */
  readonly inventory: number
  /** Headers of one message. */
  readonly headers: number
}

/** Default limits, if no option sets them. */
export const DEFAULT_LIMITS: ProtocolLimits = {
  messageLength: 33_554_432,
  addresses: 1_000,
  inventory: 50_000,
  headers: 2_000
}

/**
 * Returns the limits for receiving: at least what honest peers send, whatever is configured. Otherwise such peers would
 * be discouraged.
 */
export const limitsToTake = ({ addresses, headers, inventory, messageLength }: ProtocolLimits): ProtocolLimits => ({
  messageLength: Math.max(messageLength, LIMITS.block.most),
  addresses: Math.max(addresses, DEFAULT_LIMITS.addresses),
  inventory: Math.max(inventory, DEFAULT_LIMITS.inventory),
  headers: Math.max(headers, DEFAULT_LIMITS.headers)
})

/** Returns the limits for sending: at most what every peer accepts, whatever is configured. */
export const limitsToSend = ({ addresses, headers, inventory, messageLength }: ProtocolLimits): ProtocolLimits => ({
  messageLength,
  addresses: Math.min(addresses, DEFAULT_LIMITS.addresses),
  inventory: Math.min(inventory, DEFAULT_LIMITS.inventory),
  headers: Math.min(headers, DEFAULT_LIMITS.headers)
})
