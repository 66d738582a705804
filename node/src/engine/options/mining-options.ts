import type { Sats } from "@lockstep/kernel/quantities"
import { MAX_BLOCK_WEIGHT } from "@lockstep/kernel/constants"

/** Options for making blocks. */
export interface MiningOptions {
  /** Weight that a block stays below. */
  readonly blockMaxWeight: number
  /** Weight reserved for the header and the coinbase. */
  readonly blockReservedWeight: number
  /** Minimum feerate of a chunk, in satoshis per 1,000 virtual bytes. */
  readonly blockMinFee: Sats
  /** Regtest only. By default the bits of deployments decide. */
  readonly blockVersion?: number | undefined
}

export const DEFAULT_MINING_OPTIONS: MiningOptions = {
  blockMaxWeight: MAX_BLOCK_WEIGHT,
  blockReservedWeight: 8_000,
  blockMinFee: 1n
}
