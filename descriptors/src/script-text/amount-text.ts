const COIN = 100_000_000n

/** Formats satoshis as bitcoins, always with eight decimals. */
export const amountText = (satoshis: bigint): string => {
  const magnitude = satoshis < 0n ? -satoshis : satoshis
  const decimals = (magnitude % COIN).toString().padStart(8, "0")
  return `${satoshis < 0n ? "-" : ""}${magnitude / COIN}.${decimals}`
}
