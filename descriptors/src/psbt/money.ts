const MAX_MONEY = 2_100_000_000_000_000n

/** Reports whether satoshis are within the range of amounts. */
export const isMoney = (satoshis: bigint): boolean => satoshis >= 0n && satoshis <= MAX_MONEY
