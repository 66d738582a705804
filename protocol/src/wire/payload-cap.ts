import { type Command, isCommand } from "./codecs.ts"
import { LIMITS, type ProtocolLimits } from "./limits.ts"

/** How large the payload of a command can be: `fixed` bytes, and `each` for every one of `most` elements. */
interface PayloadSize {
  readonly fixed: number
  readonly each?: number
  /** A number, or the configured limit of that name. */
  readonly most?: number | keyof Omit<ProtocolLimits, "messageLength">
}

const NOTHING: PayloadSize = { fixed: 0 }
/** An entry is type and hash; the count takes up to five bytes. */
const INVENTORY: PayloadSize = { fixed: 5, each: 36, most: "inventory" }
/** Version, count, hashes, stop. */
const LOCATOR: PayloadSize = { fixed: 4 + 1 + 32, each: 32, most: LIMITS.locatorHashes.most }
/** Limited by the block that is in it, or that its transactions are of. */
const BLOCK: PayloadSize = { fixed: LIMITS.block.most }
/** The count takes one byte. */
const PACKAGE_IDS: PayloadSize = { fixed: 1, each: 32, most: LIMITS.packageRequest.most }
const FILTER_RANGE: PayloadSize = { fixed: 1 + 4 + 32 }

/** What a payload of each command holds at most, from its layout and the limits of what it counts. */
const SIZES: Readonly<Record<Command, PayloadSize>> = {
  version: { fixed: 4 + 8 + 8 + 26 + 26 + 8 + 3 + LIMITS.userAgent.most + 4 + 1 },
  verack: NOTHING,
  addr: { fixed: 5, each: 30, most: "addresses" },
  // Time, services of nine bytes, network, length, address, port.
  addrv2: { fixed: 5, each: 4 + 9 + 1 + 3 + LIMITS.addressLength.most + 2, most: "addresses" },
  getaddr: NOTHING,
  sendaddrv2: NOTHING,
  inv: INVENTORY,
  getdata: INVENTORY,
  notfound: INVENTORY,
  block: BLOCK,
  // One that is too large to be relayed is read all the same: no transaction is held against its sender.
  tx: { fixed: LIMITS.block.most },
  dandeliontx: { fixed: LIMITS.unconfirmedTransaction.most },
  wtxidrelay: NOTHING,
  getheaders: LOCATOR,
  headers: { fixed: 5, each: 81, most: "headers" },
  getblocks: LOCATOR,
  sendheaders: NOTHING,
  ping: { fixed: 8 },
  pong: { fixed: 8 },
  mempool: NOTHING,
  feefilter: { fixed: 8 },
  feature: { fixed: 1 + LIMITS.featureId.most + 3 + LIMITS.featureData.most },
  sendcmpct: { fixed: 9 },
  cmpctblock: BLOCK,
  getblocktxn: { fixed: 32 + 3, each: 3, most: LIMITS.blockTransactions.most + 1 },
  blocktxn: BLOCK,
  getcfilters: FILTER_RANGE,
  cfilter: BLOCK,
  getcfheaders: FILTER_RANGE,
  cfheaders: { fixed: 1 + 32 + 32 + 3, each: 32, most: LIMITS.filterHeaderRange.most },
  getcfcheckpt: { fixed: 1 + 32 },
  cfcheckpt: { fixed: 1 + 32 + 5, each: 32, most: LIMITS.filterCheckpoints.most },
  // One that is too large is misbehavior of the sender: it is read to see that.
  filterload: { fixed: LIMITS.unknownMessage.most },
  filteradd: { fixed: LIMITS.unknownMessage.most },
  filterclear: NOTHING,
  merkleblock: BLOCK,
  sendpackages: { fixed: 8 },
  ancpkginfo: PACKAGE_IDS,
  getpkgtxns: PACKAGE_IDS,
  pkgtxns: { fixed: 1 + LIMITS.packageBytes.most },
  sendtxrcncl: { fixed: 12 }
}

/** Commands whose size is a limit of the thing itself: bytes behind it are not tolerated. */
const EXACT: ReadonlySet<Command> = new Set<Command>([
  "block",
  "tx",
  "dandeliontx",
  "cmpctblock",
  "blocktxn",
  "cfilter",
  "filterload",
  "filteradd",
  "merkleblock",
  "pkgtxns"
])

/** Bytes that the payload of a command may declare. */
export const payloadCap = (command: Command, limits: ProtocolLimits): number => {
  const { each = 0, fixed, most = 0 } = SIZES[command]
  const size = fixed + each * (typeof most === "number" ? most : limits[most])
  return Math.min(limits.messageLength, EXACT.has(command) ? size : size + LIMITS.trailing.most)
}

/**
 * Bytes that the payload of a message may declare, its command known or not. Before the handshake is complete that is a few
 * kilobytes.
 */
export const payloadMost = (
  command: string | undefined,
  { handshaken, limits }: { readonly handshaken: boolean; readonly limits: ProtocolLimits }
): number => {
  const most = command !== undefined && isCommand(command)
    ? payloadCap(command, limits)
    : Math.min(limits.messageLength, LIMITS.unknownMessage.most)
  return handshaken ? most : Math.min(most, LIMITS.handshakeMessage.most)
}
