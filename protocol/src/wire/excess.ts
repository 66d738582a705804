import type { Command } from "./codecs.ts"

/**
 * What a fault means for the peer, as in Bitcoin Core. The message alone is dropped, or the peer is disconnected. Or
 * the peer is disconnected and its address discouraged, since no honest software sends such a message.
 */
export type Consequence = "ignore" | "disconnect" | "discourage"

/** What is made of a message that holds more than its command is known to. */
export interface Excess {
  /** Bytes behind the last field: they are ignored, or make the message invalid. */
  readonly behind: "unread" | "refused"
  /** What follows from more elements than a list of the message may have. */
  readonly tooMany: Consequence
}

/** A later version of a message may be longer, and a list without a limit may have any length. */
const USUAL: Excess = { behind: "unread", tooMany: "ignore" }

/** More elements are sent on purpose. */
const LIMITED: Excess = { behind: "unread", tooMany: "discourage" }

const BOUNDED: Excess = { behind: "unread", tooMany: "disconnect" }

/** Every command with what is made of its excess: the only place that says so. */
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
  // BIP434 has nothing behind the data, and Bitcoin Core disconnects a peer that sends a payload of another form.
  feature: { behind: "refused", tooMany: "ignore" },
  sendcmpct: USUAL,
  cmpctblock: USUAL,
  getblocktxn: USUAL,
  // More than were requested are held against the sender where the block is put together.
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
