import { isSwitchedOn, leftOut, type SettingMapping, number, truthSetting, unless } from "./draft.ts"

const AMOUNT = /^(\d{1,8})?(?:\.(\d{1,8}))?$/

/** Converts an amount in BTC to satoshis. Returns `undefined` for an invalid amount. */
const satoshisOf = (value: string): number | undefined => {
  const [, whole, decimals] = AMOUNT.exec(value) ?? []
  if (whole === undefined && decimals === undefined) return undefined
  return Number(whole ?? 0) * 100_000_000 + Number((decimals ?? "").padEnd(8, "0"))
}

/** Converts a feerate in BTC per 1,000 virtual bytes. `unit` is the number of the key's units in a satoshi. */
const fee = (key: string, unit = 1): SettingMapping => (value, { values }) => {
  const satoshis = satoshisOf(value)
  if (satoshis === undefined) return "the value is not an amount in BTC"
  values.set(key, satoshis / unit)
  return undefined
}

const dataCarrier: SettingMapping = (value, draft) => {
  draft.isDataRefused = !isSwitchedOn(value)
  return undefined
}

const KILOBYTE = 1_000

const clusterSize: SettingMapping = (value, { values }) => {
  const size = Number(value)
  if (!Number.isInteger(size) || size < 1 || size > 500_000) {
    return "the value is not a number that fits"
  }
  values.set("mempool.max_cluster_size", size * KILOBYTE)
  return undefined
}

const acceptNonStandard: SettingMapping = (value, draft) => {
  if (!isSwitchedOn(value)) return undefined
  if (draft.network.name === "mainnet") return "mainnet relays standard transactions alone"
  draft.values.set("mempool.accept_non_standard", true)
  return undefined
}

const acceptStale: SettingMapping = (value, draft) => {
  if (!isSwitchedOn(value)) return undefined
  if (draft.network.name !== "regtest") return "old estimates are read on regtest alone"
  draft.values.set("regtest.accept_stale_fee_estimates", true)
  return undefined
}

const blockVersion: SettingMapping = (value, draft) => {
  if (draft.network.name !== "regtest") return "the version of blocks can be set on regtest alone"
  return number("regtest.block_version", -0x80_00_00_00, 0x7f_ff_ff_ff)(value, draft)
}

const CLUSTERS = "clusters are limited instead, by limitclustercount and limitclustersize"

const MOST_HOURS = 1_000_000
const BLOCK_WEIGHT = 4_000_000

/** Settings about the mempool and about mining from it. */
export const MEMPOOL_MAPPING: Readonly<Record<string, SettingMapping>> = {
  maxmempool: number("mempool.max_mempool_mb", 0, 1_000_000_000),
  mempoolexpiry: number("mempool.mempool_expiry_hours", 0, MOST_HOURS),
  blockreconstructionextratxn: number("mempool.compact_block_extra_transactions", 0, 1_000_000),
  minrelaytxfee: fee("mempool.min_relay_fee_rate", KILOBYTE),
  incrementalrelayfee: fee("mempool.incremental_relay_fee"),
  dustrelayfee: fee("mempool.dust_relay_fee"),
  bytespersigop: number("mempool.bytes_per_sigop", 1, 1_000_000),
  datacarrier: dataCarrier,
  datacarriersize: number("mempool.data_carrier_bytes", 0, BLOCK_WEIGHT),
  permitbaremultisig: truthSetting("mempool.permit_bare_multisig"),
  acceptnonstdtxn: acceptNonStandard,
  limitclustercount: number("mempool.max_cluster_count", 1, 64),
  limitclustersize: clusterSize,
  limitancestorcount: leftOut(CLUSTERS),
  limitancestorsize: leftOut(CLUSTERS),
  limitdescendantcount: leftOut(CLUSTERS),
  limitdescendantsize: leftOut(CLUSTERS),
  persistmempool: truthSetting("mempool.persist_mempool"),
  persistmempoolv1: unless(["0"], "the mempool is saved in the version that Bitcoin Core reads since 26"),
  acceptstalefeeestimates: acceptStale,
  blockmaxweight: number("mining.block_max_weight", 0, BLOCK_WEIGHT),
  blockreservedweight: number("mining.block_reserved_weight", 2_000, BLOCK_WEIGHT),
  blockmintxfee: fee("mining.block_min_fee"),
  blockversion: blockVersion
}
