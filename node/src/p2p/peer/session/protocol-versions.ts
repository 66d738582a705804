/** Protocol versions at which features begin or end. */
export const ProtocolVersion = {
  /** This node's version. */
  OURS: 70_017,
  /** Pings are answered above this version (BIP31). */
  PONG_ABOVE: 60_000,
  /** Version of `feefilter` (BIP133). */
  FEE_FILTER: 70_013,
  /** Version of `sendheaders` (BIP130). */
  SEND_HEADERS: 70_012,
  /** The last version with the alert system. */
  ALERTS: 70_012,
  /** Version of compact blocks (BIP152). */
  COMPACT_BLOCKS: 70_014,
  /** Version of `wtxidrelay` (BIP339). `sendaddrv2` is only sent to peers from this version on, which may know it. */
  WITNESS_IDS: 70_016,
  /** Version of `feature` (BIP434). */
  FEATURES: 70_017
} as const
