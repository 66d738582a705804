const COIN = 100_000_000n

/** Formats satoshis as in Bitcoin Core's logs, with at least two decimals. */
export const moneyText = (satoshis: bigint): string => {
  const amount = satoshis < 0n ? -satoshis : satoshis
  const rest = String(amount % COIN).padStart(8, "0").replace(/0{1,6}$/, "")
  return `${satoshis < 0n ? "-" : ""}${amount / COIN}.${rest}`
}
