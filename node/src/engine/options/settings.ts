import type { Seconds } from "../../quantities.ts"
import {
  DEFAULT_RELAY_POLICY,
  type RelayPolicy,
  type ReplacementMode,
  replacementTerms,
  type ReplacementTerms
} from "@lockstep/kernel/relay"
import type { SpamPolicy } from "@lockstep/kernel/spam"

/** Settings of the mempool. */
export interface MempoolSettings {
  readonly policy: RelayPolicy
  readonly mode: ReplacementMode
  /** Terms of the replacement mode, with the operator's changes. */
  readonly terms: ReplacementTerms
  /** `undefined` if no transaction is rejected as spam. */
  readonly spam: SpamPolicy | undefined
  /** 0 keeps the mempool empty. */
  readonly maxBytes: number
  /** `undefined` for any number. */
  readonly maxTransactions: number | undefined
  readonly expirySeconds: Seconds
  /** Number of rejected and replaced transactions that are kept for compact blocks. */
  readonly extraTransactions: number
  /** True if the mempool is kept across a restart. */
  readonly persists: boolean
  /** Path of its file; by default `mempool.dat` in the data directory of the network. */
  readonly file: string | undefined
  /** True if it is saved as version 1, which has no key, for programs that read no other. False by default. */
  readonly savesVersion1?: boolean
  /** True if fees are estimated; false if the transactions of peers are not relayed. */
  readonly estimatesFees: boolean
  /** Regtest only: true if an old `fee_estimates.dat` is read as well. */
  readonly acceptsStaleEstimates: boolean
}

/** Default settings, those of Bitcoin Core. */
export const DEFAULT_MEMPOOL_SETTINGS: MempoolSettings = {
  policy: DEFAULT_RELAY_POLICY,
  mode: "standard",
  terms: replacementTerms("standard"),
  spam: undefined,
  maxBytes: 300_000_000,
  maxTransactions: undefined,
  expirySeconds: 336 * 3_600,
  extraTransactions: 100,
  persists: true,
  file: undefined,
  estimatesFees: true,
  acceptsStaleEstimates: false
}
