import type { Command } from "./codecs.ts"

/**
 * Consequence of a fault for the peer, as in Bitcoin Core: only the message is dropped, or the peer is disconnected.
 * `discourage` also discourages its address, since no honest software sends such a message.
 */
export type Consequence = "ignore" | "disconnect" | "discourage"

/** Treatment of a message with more contents than its command is known to have. */
export interface Excess {
  /** Bytes after the last field: they are ignored, or make the message invalid. */
  readonly behind: "unread" | "refused"
  /** Consequence of more elements than a list of the message may have. */
  readonly tooMany: Consequence
}

/** Default: a later version of a message may be longer, and a list without a limit may have any length. */
const USUAL: Excess = { behind: "unread", tooMany: "ignore" }

/** Limited lists: more elements can only be sent on purpose. */
const LIMITED: Excess = { behind: "unread", tooMany: "discourage" }

const BOUNDED: Excess = { behind: "unread", tooMany: "disconnect" }

/** The treatment of every command's excess, which is defined only here. */
export const EXCESS: Readonly<Record<Command, Excess>> = {
  version: USUAL,
  verack: USUAL,
  addr: LIMITED,
  addrv2: LIMITED,
  getaddr: USUAL,
  sendaddrv2: USUAL,
  inv: LIMITED,
  getdata: LIMITED,
  notfound: USUAL,
  block: USUAL,
  tx: USUAL,
  dandeliontx: USUAL,
  wtxidrelay: USUAL,
  getheaders: BOUNDED,
  headers: LIMITED,
  getblocks: BOUNDED,
  sendheaders: USUAL,
  ping: USUAL,
  pong: USUAL,
  mempool: USUAL,
  feefilter: USUAL,
  // BIP434 has nothing after the data, and Bitcoin Core disconnects a peer that sends a payload of another form.
  feature: { behind: "refused", tooMany: "ignore" },
  sendcmpct: USUAL,
  cmpctblock: USUAL,
  getblocktxn: USUAL,
  // Surplus transactions are the sender's fault, which the reconstruction of the block detects.
  blocktxn: USUAL,
  getcfilters: USUAL,
  cfilter: USUAL,
  getcfheaders: USUAL,
  cfheaders: USUAL,
  getcfcheckpt: USUAL,
  cfcheckpt: USUAL,
  filterload: USUAL,
  filteradd: USUAL,
  filterclear: USUAL,
  merkleblock: USUAL,
  sendpackages: USUAL,
  ancpkginfo: USUAL,
  // Bitcoin Core does not know these two (BIP331).
  getpkgtxns: BOUNDED,
  pkgtxns: BOUNDED,
  sendtxrcncl: USUAL
}
