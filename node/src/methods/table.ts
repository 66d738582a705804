import type { Method } from "./definition/method.ts"
import { abortprivatebroadcast } from "./abortprivatebroadcast.ts"
import { addconnection } from "./addconnection.ts"
import { addnode } from "./addnode.ts"
import { addpeeraddress } from "./addpeeraddress.ts"
import { clearbanned } from "./clearbanned.ts"
import { combinerawtransaction } from "./combinerawtransaction.ts"
import { createmultisig } from "./createmultisig.ts"
import { createrawtransaction } from "./createrawtransaction.ts"
import { decoderawtransaction } from "./decoderawtransaction.ts"
import { decodescript } from "./decodescript.ts"
import { deriveaddresses } from "./deriveaddresses.ts"
import { disconnectnode } from "./disconnectnode.ts"
import { echo, echojson } from "./echo.ts"
import { echoipc } from "./echoipc.ts"
import { estimaterawfee } from "./estimaterawfee.ts"
import { estimatesmartfee } from "./estimatesmartfee.ts"
import { generateblock } from "./generateblock.ts"
import { generatetoaddress } from "./generatetoaddress.ts"
import { generatetodescriptor } from "./generatetodescriptor.ts"
import { getaddednodeinfo } from "./getaddednodeinfo.ts"
import { getaddrmaninfo } from "./getaddrmaninfo.ts"
import { getbestblockhash } from "./getbestblockhash.ts"
import { getblock } from "./getblock.ts"
import { getblockchaininfo } from "./getblockchaininfo.ts"
import { getblockcount } from "./getblockcount.ts"
import { getblockfilter } from "./getblockfilter.ts"
import { getblockfrompeer } from "./getblockfrompeer.ts"
import { getblockhash } from "./getblockhash.ts"
import { getblockheader } from "./getblockheader.ts"
import { getblockstats } from "./getblockstats.ts"
import { getblocktemplate } from "./getblocktemplate.ts"
import { loadtxoutset } from "./loadtxoutset.ts"
import { getchainstates } from "./getchainstates.ts"
import { getchaintips } from "./getchaintips.ts"
import { getchaintxstats } from "./getchaintxstats.ts"
import { getconnectioncount } from "./getconnectioncount.ts"
import { getdeploymentinfo } from "./getdeploymentinfo.ts"
import { getdescriptorinfo } from "./getdescriptorinfo.ts"
import { getdifficulty } from "./getdifficulty.ts"
import { gethealth } from "./gethealth.ts"
import { getindexinfo } from "./getindexinfo.ts"
import { getmemoryinfo } from "./getmemoryinfo.ts"
import { getmempoolancestors } from "./getmempoolancestors.ts"
import { getmempoolcluster } from "./getmempoolcluster.ts"
import { getmempooldescendants } from "./getmempooldescendants.ts"
import { getmempoolentry } from "./getmempoolentry.ts"
import { getmempoolfeeratediagram } from "./getmempoolfeeratediagram.ts"
import { getmempoolinfo } from "./getmempoolinfo.ts"
import { getmetrics } from "./getmetrics.ts"
import { getmininginfo } from "./getmininginfo.ts"
import { getmoduleclispecs } from "./getmoduleclispecs.ts"
import { getnettotals } from "./getnettotals.ts"
import { getnetworkhashps } from "./getnetworkhashps.ts"
import { getnetworkinfo } from "./getnetworkinfo.ts"
import { getnodeaddresses } from "./getnodeaddresses.ts"
import { getorphantxs } from "./getorphantxs.ts"
import { getpeerinfo } from "./getpeerinfo.ts"
import { getprioritisedtransactions } from "./getprioritisedtransactions.ts"
import { getprivatebroadcastinfo } from "./getprivatebroadcastinfo.ts"
import { getrawaddrman } from "./getrawaddrman.ts"
import { getrawmempool } from "./getrawmempool.ts"
import { getrawtransaction } from "./getrawtransaction.ts"
import { getrpcinfo } from "./getrpcinfo.ts"
import { getsyncstatus } from "./getsyncstatus.ts"
import { gettxout } from "./gettxout.ts"
import { gettxoutproof } from "./gettxoutproof.ts"
import { gettxoutsetinfo } from "./gettxoutsetinfo.ts"
import { gettxspendingprevout } from "./gettxspendingprevout.ts"
import { getzmqnotifications } from "./getzmqnotifications.ts"
import { help } from "./help.ts"
import { importmempool } from "./importmempool.ts"
import { invalidateblock } from "./invalidateblock.ts"
import { listbanned } from "./listbanned.ts"
import { listmodules } from "./listmodules.ts"
import { loadmodule } from "./loadmodule.ts"
import { logging } from "./logging.ts"
import { mockscheduler } from "./mockscheduler.ts"
import { ping } from "./ping.ts"
import { preciousblock } from "./preciousblock.ts"
import { prioritisetransaction } from "./prioritisetransaction.ts"
import { pruneblockchain } from "./pruneblockchain.ts"
import { reconsiderblock } from "./reconsiderblock.ts"
import { reloadmodule } from "./reloadmodule.ts"
import { runmodulecli } from "./runmodulecli.ts"
import { savemempool } from "./savemempool.ts"
import { scanblocks } from "./scanblocks.ts"
import { scantxoutset } from "./scantxoutset.ts"
import { sendrawtransaction } from "./sendrawtransaction.ts"
import { sendmsgtopeer } from "./sendmsgtopeer.ts"
import { setban } from "./setban.ts"
import { setmocktime } from "./setmocktime.ts"
import { setnetworkactive } from "./setnetworkactive.ts"
import { signmessagewithprivkey } from "./signmessagewithprivkey.ts"
import { signrawtransactionwithkey } from "./signrawtransactionwithkey.ts"
import { stop } from "./stop.ts"
import { submitblock } from "./submitblock.ts"
import { submitheader } from "./submitheader.ts"
import { submitpackage } from "./submitpackage.ts"
import { syncwithvalidationinterfacequeue } from "./syncwithvalidationinterfacequeue.ts"
import { testmempoolaccept } from "./testmempoolaccept.ts"
import { unloadmodule } from "./unloadmodule.ts"
import { uptime } from "./uptime.ts"
import { validateaddress } from "./validateaddress.ts"
import { verifychain } from "./verifychain.ts"
import { verifymessage } from "./verifymessage.ts"
import { verifytxoutproof } from "./verifytxoutproof.ts"
import { waitforblock } from "./waitforblock.ts"
import { waitforblockheight } from "./waitforblockheight.ts"
import { waitfornewblock } from "./waitfornewblock.ts"
import { rpcDiscover } from "./rpc-discover.ts"
import { combinepsbt } from "./combinepsbt.ts"
import { converttopsbt } from "./converttopsbt.ts"
import { createpsbt } from "./createpsbt.ts"
import { decodepsbt } from "./decodepsbt.ts"
import { joinpsbts } from "./joinpsbts.ts"
import { analyzepsbt } from "./analyzepsbt.ts"
import { descriptorprocesspsbt } from "./descriptorprocesspsbt.ts"
import { finalizepsbt } from "./finalizepsbt.ts"
import { utxoupdatepsbt } from "./utxoupdatepsbt.ts"
import { getdescriptoractivity } from "./getdescriptoractivity.ts"
import { enumeratesigners } from "./enumeratesigners.ts"
import { exportasmap } from "./exportasmap.ts"
import { dumptxoutset } from "./dumptxoutset.ts"

const ALL: ReadonlyArray<Method> = [
  abortprivatebroadcast,
  addconnection,
  addnode,
  addpeeraddress,
  analyzepsbt,
  clearbanned,
  combinepsbt,
  combinerawtransaction,
  converttopsbt,
  createmultisig,
  createpsbt,
  createrawtransaction,
  decodepsbt,
  decoderawtransaction,
  decodescript,
  deriveaddresses,
  descriptorprocesspsbt,
  disconnectnode,
  dumptxoutset,
  echo,
  echoipc,
  echojson,
  enumeratesigners,
  estimaterawfee,
  estimatesmartfee,
  exportasmap,
  finalizepsbt,
  generateblock,
  generatetoaddress,
  generatetodescriptor,
  getaddednodeinfo,
  getaddrmaninfo,
  getbestblockhash,
  getblock,
  getblockchaininfo,
  getblockcount,
  getblockfilter,
  getblockfrompeer,
  getblockhash,
  getblockheader,
  getblockstats,
  getblocktemplate,
  getchainstates,
  loadtxoutset,
  getchaintips,
  getchaintxstats,
  getconnectioncount,
  getdeploymentinfo,
  getdescriptoractivity,
  getdescriptorinfo,
  getdifficulty,
  gethealth,
  getindexinfo,
  getmemoryinfo,
  getmempoolancestors,
  getmempoolcluster,
  getmempooldescendants,
  getmempoolentry,
  getmempoolfeeratediagram,
  getmempoolinfo,
  getmetrics,
  getmininginfo,
  getmoduleclispecs,
  getnettotals,
  getnetworkhashps,
  getnetworkinfo,
  getnodeaddresses,
  getorphantxs,
  getpeerinfo,
  getprioritisedtransactions,
  getprivatebroadcastinfo,
  getrawaddrman,
  getrawmempool,
  getrawtransaction,
  getrpcinfo,
  getsyncstatus,
  gettxout,
  gettxoutproof,
  gettxoutsetinfo,
  gettxspendingprevout,
  getzmqnotifications,
  help,
  importmempool,
  invalidateblock,
  joinpsbts,
  listbanned,
  listmodules,
  loadmodule,
  logging,
  mockscheduler,
  ping,
  preciousblock,
  prioritisetransaction,
  pruneblockchain,
  reconsiderblock,
  rpcDiscover,
  reloadmodule,
  runmodulecli,
  savemempool,
  scanblocks,
  scantxoutset,
  sendmsgtopeer,
  sendrawtransaction,
  setban,
  setmocktime,
  setnetworkactive,
  signmessagewithprivkey,
  signrawtransactionwithkey,
  stop,
  submitblock,
  submitheader,
  submitpackage,
  syncwithvalidationinterfacequeue,
  testmempoolaccept,
  unloadmodule,
  uptime,
  utxoupdatepsbt,
  validateaddress,
  verifychain,
  verifymessage,
  verifytxoutproof,
  waitforblock,
  waitforblockheight,
  waitfornewblock
]

/** Every method by name. */
export const METHODS: ReadonlyMap<string, Method> = new Map(ALL.map((method) => [method.name, method]))
