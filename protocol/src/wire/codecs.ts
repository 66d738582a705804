import { addr, addrv2 } from "./messages/addr.ts"
import { block } from "./messages/block.ts"
import { filteradd, filterload, merkleblock } from "./messages/bloom.ts"
import { blocktxn, cmpctblock, getblocktxn } from "./messages/compact-blocks.ts"
import { cfcheckpt, cfheaders, cfilter, getcfcheckpt, getcfheaders, getcfilters } from "./messages/compact-filters.ts"
import { filterclear, getaddr, mempool, sendaddrv2, sendheaders, verack, wtxidrelay } from "./messages/empty.ts"
import { dandeliontx } from "./messages/dandeliontx.ts"
import { feature } from "./messages/feature.ts"
import { feefilter } from "./messages/feefilter.ts"
import { headers } from "./messages/headers.ts"
import { getdata, inv, notfound } from "./messages/inventory.ts"
import { getblocks, getheaders } from "./messages/locator.ts"
import { ancpkginfo, getpkgtxns, pkgtxns, sendpackages } from "./messages/packages.ts"
import { ping, pong } from "./messages/ping.ts"
import { sendcmpct } from "./messages/sendcmpct.ts"
import { sendtxrcncl } from "./messages/sendtxrcncl.ts"
import { tx } from "./messages/tx.ts"
import { version } from "./messages/version.ts"
import type { Codec } from "./codec.ts"

/** The codec of every known command. Any other command is skipped and has no effect. */
export const CODECS = {
  version,
  verack,
  addr,
  addrv2,
  getaddr,
  sendaddrv2,
  inv,
  getdata,
  notfound,
  block,
  tx,
  dandeliontx,
  wtxidrelay,
  getheaders,
  headers,
  getblocks,
  sendheaders,
  ping,
  pong,
  mempool,
  feefilter,
  feature,
  sendcmpct,
  cmpctblock,
  getblocktxn,
  blocktxn,
  getcfilters,
  cfilter,
  getcfheaders,
  cfheaders,
  getcfcheckpt,
  cfcheckpt,
  filterload,
  filteradd,
  filterclear,
  merkleblock,
  sendpackages,
  ancpkginfo,
  getpkgtxns,
  pkgtxns,
  sendtxrcncl
}

/** A known command. */
export type Command = keyof typeof CODECS

type Messages = { readonly [C in Command]: (typeof CODECS)[C] extends Codec<infer M> ? M : never }

/** The message of a command. */
export type MessageOf<C extends Command> = Messages[C]

/** Any known message; `command` names it. */
export type Message = MessageOf<Command>

/** Every known command. */
export const COMMANDS = Object.keys(CODECS) as ReadonlyArray<Command>

/** Reports whether a command is known. */
export const isCommand = (name: string): name is Command => Object.hasOwn(CODECS, name)
