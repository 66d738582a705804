import { clamp, type PlanDraft, numberGiven } from "./draft.ts"
import { COIN } from "../../units.ts"

const AMOUNT = /^(\d{0,10})(?:\.(\d{0,8}))?$/

/** Core's MAX_MONEY. */
const MOST = 21_000_000n * COIN

/** Returns an amount in BTC as satoshis, or `undefined` if the text is no amount. */
const satoshisOf = (text: string): number | undefined => {
  const [, whole = "", fraction = ""] = AMOUNT.exec(text.trim()) ?? []
  if (whole === "" && fraction === "") return undefined
  const satoshis = BigInt(whole === "" ? "0" : whole) * COIN + BigInt(fraction.padEnd(8, "0"))
  return satoshis > MOST ? undefined : Number(satoshis)
}

/** Maximum value of keys for fee rates. No transaction can pay it. */
const MOST_RATE = 1_000_000_000_000

/** Sets a key to a fee rate in satoshis per 1,000 virtual bytes. */
const planRate = ({ args, notices, problems, values }: PlanDraft, name: string, key: string, divisor = 1): void => {
  const text = args.text(name)
  if (text === undefined) return
  const satoshis = satoshisOf(text)
  if (satoshis === undefined) {
    problems.push(`Invalid amount for -${name}=<amount>: '${text}'`)
    return
  }
  const rate = satoshis / divisor
  if (rate > MOST_RATE) notices.push(`-${name}=${text} is more than any transaction can pay, and counts as less`)
  values.set(key, Math.min(rate, MOST_RATE))
}

/** Core's DEFAULT_MIN_RELAY_TX_FEE and DEFAULT_INCREMENTAL_RELAY_FEE, in satoshis per 1,000 virtual bytes. */
const USUAL_RATE = 100

/** Raises the minimum relay fee rate to a higher incremental fee rate, unless `-minrelaytxfee` is set. */
const matchRates = ({ args, notices, values }: PlanDraft): void => {
  const satoshis = satoshisOf(args.text("incrementalrelayfee") ?? "") ?? 0
  if (args.isSet("minrelaytxfee") || satoshis <= USUAL_RATE) return
  values.set("mempool.min_relay_fee_rate", Math.min(satoshis / 1_000, MOST_RATE))
  const shown = (satoshis / Number(COIN)).toFixed(8)
  notices.push(`Increasing minrelaytxfee to ${shown} BTC/kvB to match incrementalrelayfee`)
}

const planNumber = (draft: PlanDraft, name: string, key: string, most: number, least = 0): void => {
  if (draft.args.isSet(name)) draft.values.set(key, clamp(numberGiven(draft, name, 0), least, most))
}

const planFlag = ({ args, values }: PlanDraft, name: string, key: string): void => {
  const flag = args.flag(name)
  if (flag !== undefined) values.set(key, flag)
}

/** Plans the policy for transactions, the mempool and block templates. */
export const planPolicy = (draft: PlanDraft): void => {
  const { args, values } = draft
  planFlag(draft, "acceptnonstdtxn", "mempool.accept_non_standard")
  planFlag(draft, "acceptstalefeeestimates", "regtest.accept_stale_fee_estimates")
  planFlag(draft, "permitbaremultisig", "mempool.permit_bare_multisig")
  planFlag(draft, "persistmempool", "mempool.persist_mempool")
  planNumber(draft, "bytespersigop", "mempool.bytes_per_sigop", 1_000_000, 1)
  planNumber(draft, "datacarriersize", "mempool.data_carrier_bytes", 4_000_000)
  if (args.flag("datacarrier") === false) values.set("mempool.data_carrier_bytes", 0)
  planNumber(draft, "limitclustercount", "mempool.max_cluster_count", 64, 1)
  if (args.isSet("limitclustersize")) {
    values.set("mempool.max_cluster_size", clamp(numberGiven(draft, "limitclustersize", 101) * 1_000, 1, 500_000_000))
  }
  planNumber(draft, "maxmempool", "mempool.max_mempool_mb", 1_000_000_000)
  planNumber(draft, "mempoolexpiry", "mempool.mempool_expiry_hours", 1_000_000)
  planNumber(draft, "blockreconstructionextratxn", "mempool.compact_block_extra_transactions", 1_000_000)
  // That key is in satoshis per virtual byte.
  planRate(draft, "minrelaytxfee", "mempool.min_relay_fee_rate", 1_000)
  planRate(draft, "incrementalrelayfee", "mempool.incremental_relay_fee")
  matchRates(draft)
  planRate(draft, "dustrelayfee", "mempool.dust_relay_fee")
  planRate(draft, "blockmintxfee", "mining.block_min_fee")
  planNumber(draft, "blockmaxweight", "mining.block_max_weight", 4_000_000)
  if (draft.chain === "regtest") planNumber(draft, "blockversion", "regtest.block_version", 0x7f_ff_ff_ff)
  planNumber(draft, "blockreservedweight", "mining.block_reserved_weight", 4_000_000, 2_000)
}
