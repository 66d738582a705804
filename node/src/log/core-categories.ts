/**
 * The categories of Bitcoin Core's log, each with the category of ours that has such lines. None: this node does
 * nothing of the kind, so there are no lines to turn on.
 */
export const CORE_CATEGORIES: Readonly<Record<string, string | undefined>> = {
  addrman: "net",
  bench: "chain",
  blockstorage: "chain",
  cmpctblock: "net",
  coindb: "chain",
  estimatefee: "chain",
  http: "rpc",
  i2p: "net",
  ipc: undefined,
  kernel: "chain",
  leveldb: "chain",
  mempool: "chain",
  mempoolrej: "chain",
  net: "net",
  privatebroadcast: "net",
  proxy: "net",
  prune: "chain",
  qt: undefined,
  rand: undefined,
  reindex: "chain",
  rpc: "rpc",
  scan: "rpc",
  selectcoins: undefined,
  tor: "net",
  txpackages: "net",
  txreconciliation: "net",
  validation: "chain",
  walletdb: undefined,
  zmq: "events"
}
