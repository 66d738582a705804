/** Names that Bitcoin Core still accepts as a category, for which it only logs a warning. */
export const DEPRECATED_CATEGORIES: ReadonlySet<string> = new Set(["libevent"])

/** The warning for such a name. */
export const deprecatedCategoryText = (name: string): string =>
  `The logging category \`${name}\` is deprecated, does nothing, and will be removed in a future version`

/**
 * The categories of Bitcoin Core's log, each with the node's category for such lines; `undefined` if the node logs
 * nothing of that kind.
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
