import type { Seconds } from "../../quantities.ts"
import {
  DEFAULT_RELAY_POLICY,
  type RelayPolicy,
  type ReplacementMode,
  replacementTerms,
  type ReplacementTerms
} from "@lockstep/kernel/relay"
import type { SpamPolicy } from "@lockstep/kernel/spam"

/** What an operator may set about the mempool. */
export interface MempoolSettings {
  readonly policy: RelayPolicy
  readonly mode: ReplacementMode
  /** Those of the mode, with what the operator changed. */
  readonly terms: ReplacementTerms
  /** None: nothing is refused as spam. */
  readonly spam: SpamPolicy | undefined
  /** 0: nothing stays. */
  readonly maxBytes: number
  /** None: any number. */
  readonly maxTransactions: number | undefined
  readonly expirySeconds: Seconds
  /** How many refused and replaced transactions are kept for compact blocks. */
  readonly extraTransactions: number
  /** Whether it outlives the process. */
  readonly persists: boolean
  /** Where it is saved; none: `mempool.dat` in the data directory of the network. */
  readonly file: string | undefined
  /** Whether it is saved as version 1, which has no key, for programs that read no other; none: it is not. */
  readonly savesVersion1?: boolean
  /** Whether fees are estimated; not where no transactions of peers are relayed. */
  readonly estimatesFees: boolean
  /** Regtest only: whether an old `fee_estimates.dat` is read as well. */
  readonly acceptsStaleEstimates: boolean
}

/** What holds where the operator sets nothing: Bitcoin Core's defaults. */
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
