/** Names that Bitcoin Core accepts in place of a category, for which it logs a warning and does nothing. */
export const DEPRECATED_CATEGORIES: ReadonlySet<string> = new Set(["libevent"])

/** The warning for such a name. */
export const deprecatedCategoryText = (name: string): string =>
  `The logging category \`${name}\` is deprecated, does nothing, and will be removed in a future version`

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
