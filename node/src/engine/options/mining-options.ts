import type { Sats } from "@lockstep/kernel/quantities"
import { MAX_BLOCK_WEIGHT } from "@lockstep/kernel/constants"

/** How blocks are made. */
export interface MiningOptions {
  /** Weight that a block stays below. */
  readonly blockMaxWeight: number
  /** Weight that is kept free in it for the header and the coinbase. */
  readonly blockReservedWeight: number
  /** Satoshi per 1,000 virtual bytes: chunks that pay less are left out. */
  readonly blockMinFee: Sats
  /** Regtest only. None: the bits of deployments decide. */
  readonly blockVersion?: number | undefined
}

export const DEFAULT_MINING_OPTIONS: MiningOptions = {
  blockMaxWeight: MAX_BLOCK_WEIGHT,
  blockReservedWeight: 8_000,
  blockMinFee: 1n
}
