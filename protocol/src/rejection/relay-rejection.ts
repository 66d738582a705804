import { type RuleId, RULES } from "@lockstep/kernel/rule-ids"
import type { ScriptErrorName } from "@lockstep/kernel/script"
import type { Violation } from "@lockstep/kernel/verdict"
import type { Offender } from "./debug-message.ts"
import { relayDebugMessage } from "./relay-debug-message.ts"
import { type RelayRejectionClass, relayRejectionClass } from "./relay-class.ts"
import { SCRIPT_ERROR_TEXTS } from "./script-error-text.ts"

/** Why the mempool refuses a transaction, in the words of Bitcoin Core, and what follows from it. */
export interface RelayRejection {
  readonly reason: string
  /** What Bitcoin Core adds to the reason; none: nothing. */
  readonly debug: string | undefined
  readonly what: RelayRejectionClass
  readonly rule: RuleId
}

/** What is known of the way a transaction was judged, where a rejection depends on it. */
export interface RelayContext {
  /** A sibling counts among its conflicts (POL-097). */
  readonly evictsSibling?: boolean
  /** It has no witness, and spends a program that wants one. */
  readonly isStripped?: boolean
}

const NAMES_SIBLING: ReadonlySet<RuleId> = new Set<RuleId>(["POL-110", "POL-111", "POL-112"])

const scriptErrorOf = ({ detail }: Violation): ScriptErrorName | undefined => {
  if (typeof detail !== "object" || detail === null || !("error" in detail && "input" in detail)) return undefined
  return detail.error as ScriptErrorName
}

/**
 * The rejection of a transaction by the mempool. `violation` is of a rule of relay, of a transaction or of its inputs,
 * or an `InputFailure` of a script.
 */
export const relayRejectionOf = (
  violation: Violation,
  offender: Offender,
  { evictsSibling = false, isStripped = false }: RelayContext = {}
): RelayRejection => {
  const { rule } = violation
  const debug = relayDebugMessage(violation, offender)
  const error = scriptErrorOf(violation)
  if (error !== undefined) {
    const reason = `mempool-script-verify-flag-failed (${SCRIPT_ERROR_TEXTS[error]})`
    return { reason, debug, what: isStripped ? "witness stripped" : "not standard", rule }
  }
  const suffix = evictsSibling && NAMES_SIBLING.has(rule) ? " (including sibling eviction)" : ""
  return { reason: `${RULES[rule].reject}${suffix}`, debug, what: relayRejectionClass(rule), rule }
}
