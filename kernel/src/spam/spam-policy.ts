/** The operator's definition of spam. All of it is off by default, and Bitcoin Core has nothing like it. */
export interface SpamPolicy {
  /** SPM-001: whether scripts that carry data in a branch that is never taken are refused. */
  readonly envelopes: boolean
  /** SPM-002: whether token documents are refused. */
  readonly tokenDocuments: boolean
  /** SPM-003: least value of a spendable output in satoshis; 0: any. */
  readonly minOutputValue: bigint
  /** SPM-004: most bytes of a witness item; `undefined` for no limit. */
  readonly maxWitnessItem: number | undefined
  /** SPM-005: least satoshis a virtual byte; 0: any. */
  readonly minFeeRate: number
  /** SPM-006: most bytes for each satoshi that is paid to outputs; `undefined` for no limit. */
  readonly maxBytesPerSatoshi: number | undefined
  /** SPM-007: most outputs below `smallOutputValue` satoshis; `undefined` for no limit. */
  readonly maxSmallOutputs: number | undefined
  readonly smallOutputValue: bigint
}

/** Named choices of a spam policy. */
export type SpamPreset = "disabled" | "conservative" | "moderate" | "aggressive" | "strict_inscriptions"

const DISABLED: SpamPolicy = {
  envelopes: false,
  tokenDocuments: false,
  minOutputValue: 0n,
  maxWitnessItem: undefined,
  minFeeRate: 0,
  maxBytesPerSatoshi: undefined,
  maxSmallOutputs: undefined,
  smallOutputValue: 546n
}

const MODERATE: SpamPolicy = {
  envelopes: true,
  tokenDocuments: true,
  minOutputValue: 546n,
  maxWitnessItem: 1_000,
  minFeeRate: 0,
  maxBytesPerSatoshi: 1_000,
  maxSmallOutputs: 10,
  smallOutputValue: 546n
}

const PRESETS: Readonly<Record<SpamPreset, SpamPolicy>> = {
  disabled: DISABLED,
  conservative: { ...MODERATE, maxWitnessItem: 2_000, maxBytesPerSatoshi: 2_000, maxSmallOutputs: 20 },
  moderate: MODERATE,
  aggressive: { ...MODERATE, maxWitnessItem: 500, maxBytesPerSatoshi: 500, maxSmallOutputs: 5, minFeeRate: 2 },
  strict_inscriptions: { ...MODERATE, maxWitnessItem: 1_500 }
}

/**
 * The spam policy of a preset: choosing it sets every number.
 *
 * @spec SPM-009 #49ef1b6e
 */
export const spamPolicy = (preset: SpamPreset): SpamPolicy => PRESETS[preset]
