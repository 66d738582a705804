import { type Mapping, number } from "./draft.ts"

const AMOUNT = /^(\d{0,10})(?:\.(\d{0,8}))?$/
const MAX_MONEY = 2_100_000_000_000_000

/** Satoshis that a text in whole coins stands for; none: it is no amount. */
const satoshisOf = (text: string): number | undefined => {
  const [, whole, fraction = ""] = AMOUNT.exec(text.trim()) ?? []
  if (whole === undefined || text.trim() === "") return undefined
  const satoshis = Number(`${whole}${fraction.padEnd(8, "0")}`)
  return satoshis > MAX_MONEY ? undefined : satoshis
}

/** A fee for 1,000 virtual bytes, in coins there and in satoshis here. */
const feeRate = (name: string, key: string): Mapping => (value, { values }) => {
  const satoshis = satoshisOf(value)
  if (satoshis === undefined) return `Invalid amount for -${name}=<amount>: '${value}'`
  values.set(key, satoshis)
  return undefined
}

const blockVersion: Mapping = (value, draft) => {
  if (draft.network.name !== "regtest") return "deployments decide the version of blocks outside regtest"
  return number("regtest.block_version", -0x80_00_00_00, 0x7f_ff_ff_ff)(value, draft)
}

/** Settings of Bitcoin Core about the blocks that a node makes. */
export const MINING_MAPPING: Readonly<Record<string, Mapping>> = {
  blockmaxweight: number("mining.block_max_weight", 0, Number.MAX_SAFE_INTEGER),
  blockreservedweight: number("mining.block_reserved_weight", 0, Number.MAX_SAFE_INTEGER),
  blockmintxfee: feeRate("blockmintxfee", "mining.block_min_fee"),
  blockversion: blockVersion
}
