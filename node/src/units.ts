/** Bytes of a kibibyte. */
export const KIBIBYTE = 1_024

/** Bytes of a mebibyte, which Bitcoin Core's options call a megabyte. */
export const MEBIBYTE = 1_048_576

/** Bytes of a gibibyte. */
export const GIBIBYTE = 1_073_741_824

/** Bytes of a megabyte. */
export const MEGABYTE = 1_000_000

/** Seconds of longer times. */
export const SECONDS = { minute: 60, hour: 3_600, day: 86_400, week: 604_800 } as const

/** Milliseconds of longer times. */
export const MILLISECONDS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

/** Satoshis of a bitcoin. */
export const COIN = 100_000_000n
