/** Protocol versions from which on something is spoken. */
export const ProtocolVersion = {
  /** Ours. */
  OURS: 70_017,
  /** Pings are answered above this one (BIP31). */
  PONG_ABOVE: 60_000,
  /** `feefilter` (BIP133). */
  FEE_FILTER: 70_013,
  /** `sendheaders` (BIP130). */
  SEND_HEADERS: 70_012,
  /** The last one that knew the alert system. */
  ALERTS: 70_012,
  /** Compact blocks (BIP152). */
  COMPACT_BLOCKS: 70_014,
  /** `wtxidrelay` (BIP339); `sendaddrv2` goes only to peers from this version on, which may know it. */
  WITNESS_IDS: 70_016,
  /** `feature` (BIP434). */
  FEATURES: 70_017
} as const
