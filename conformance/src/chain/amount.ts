const COIN = 100_000_000n

/** Satoshis as coins with eight decimals. */
export const coinsText = (satoshis: bigint): string => {
  const sign = satoshis < 0n ? "-" : ""
  const value = satoshis < 0n ? -satoshis : satoshis
  return `${sign}${value / COIN}.${String(value % COIN).padStart(8, "0")}`
}

/**
 * Satoshis of an amount that JSON gives in coins. Amounts up to the supply have 16 digits, which a double holds
 * exactly.
 */
export const satoshisOf = (coins: number): bigint => BigInt(Math.round(coins * Number(COIN)))
