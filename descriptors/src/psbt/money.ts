const MAX_MONEY = 2_100_000_000_000_000n

/** Whether satoshis are an amount there can be. */
export const isMoney = (satoshis: bigint): boolean => satoshis >= 0n && satoshis <= MAX_MONEY
