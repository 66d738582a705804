import { type SpamPolicy, spamPolicy } from "@lockstep/kernel/spam"
import { type Effective, optionalValue, valueOf } from "../given/effective.ts"

/** Returns a limit; 0 means no limit. */
const limitOf = (given: number | undefined, ofPreset: number | undefined): number | undefined =>
  given === undefined ? ofPreset : given === 0 ? undefined : given

const satoshisOf = (given: number | undefined, ofPreset: bigint): bigint =>
  given === undefined ? ofPreset : BigInt(given)

/** `[mempool.spam_filter]`: a preset, changed by single keys. */
export const spamOf = (effective: Effective): SpamPolicy => {
  const preset = spamPolicy(valueOf(effective, "mempool.spam_filter.preset"))
  return {
    envelopes: optionalValue(effective, "mempool.spam_filter.filter_ordinals") ?? preset.envelopes,
    tokenDocuments: optionalValue(effective, "mempool.spam_filter.filter_brc20") ?? preset.tokenDocuments,
    minOutputValue: satoshisOf(
      optionalValue(effective, "mempool.spam_filter.min_output_value"),
      preset.minOutputValue
    ),
    maxWitnessItem: limitOf(optionalValue(effective, "mempool.spam_filter.max_witness_size"), preset.maxWitnessItem),
    minFeeRate: optionalValue(effective, "mempool.spam_filter.min_fee_rate") ?? preset.minFeeRate,
    maxBytesPerSatoshi: limitOf(
      optionalValue(effective, "mempool.spam_filter.max_size_value_ratio"),
      preset.maxBytesPerSatoshi
    ),
    maxSmallOutputs: limitOf(
      optionalValue(effective, "mempool.spam_filter.max_small_outputs"),
      preset.maxSmallOutputs
    ),
    smallOutputValue: satoshisOf(
      optionalValue(effective, "mempool.spam_filter.small_output_value"),
      preset.smallOutputValue
    )
  }
}
