import type { BlockTemplate } from "@lockstep/sdk"
import { ANYONE } from "./stratum-v2-coinbase.ts"

/** A template at height 100 of regtest without transactions, whose coinbase pays to anyone. */
export const blockTemplate = (change: Partial<BlockTemplate> = {}): BlockTemplate => ({
  version: 0x20000000,
  previous_hash: new Uint8Array(32),
  height: 100,
  bits: 0x207fffff,
  current_time: 1_700_000_000,
  min_time: 1_600_000_000,
  coinbase_value: 5_000_000_000,
  coinbase_script: ANYONE,
  default_witness_commitment: undefined,
  sigop_limit: 80_000,
  weight_limit: 4_000_000,
  transactions: [],
  longpoll_id: "",
  ...change
})
