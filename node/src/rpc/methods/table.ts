import type { Method } from "../method/method.ts"
import { generateblock } from "./generateblock.ts"
import { generatetoaddress } from "./generatetoaddress.ts"
import { getbestblockhash } from "./getbestblockhash.ts"
import { getblock } from "./getblock.ts"
import { getblockchaininfo } from "./getblockchaininfo.ts"
import { getblockcount } from "./getblockcount.ts"
import { getblockhash } from "./getblockhash.ts"
import { getblockheader } from "./getblockheader.ts"
import { getblocktemplate } from "./getblocktemplate.ts"
import { getchaintips } from "./getchaintips.ts"
import { getdifficulty } from "./getdifficulty.ts"
import { getindexinfo } from "./getindexinfo.ts"
import { getrawtransaction } from "./getrawtransaction.ts"
import { gettxout } from "./gettxout.ts"
import { gettxoutsetinfo } from "./gettxoutsetinfo.ts"
import { help } from "./help.ts"
import { invalidateblock } from "./invalidateblock.ts"
import { preciousblock } from "./preciousblock.ts"
import { pruneblockchain } from "./pruneblockchain.ts"
import { reconsiderblock } from "./reconsiderblock.ts"
import { setmocktime } from "./setmocktime.ts"
import { stop } from "./stop.ts"
import { submitblock } from "./submitblock.ts"
import { submitheader } from "./submitheader.ts"
import { uptime } from "./uptime.ts"
import { verifychain } from "./verifychain.ts"

const ALL: ReadonlyArray<Method> = [
  generateblock,
  generatetoaddress,
  getbestblockhash,
  getblock,
  getblockchaininfo,
  getblockcount,
  getblockhash,
  getblockheader,
  getblocktemplate,
  getchaintips,
  getdifficulty,
  getindexinfo,
  getrawtransaction,
  gettxout,
  gettxoutsetinfo,
  help,
  invalidateblock,
  preciousblock,
  pruneblockchain,
  reconsiderblock,
  setmocktime,
  stop,
  submitblock,
  submitheader,
  uptime,
  verifychain
]

/** Every method by name. */
export const METHODS: ReadonlyMap<string, Method> = new Map(ALL.map((method) => [method.name, method]))
