import { type RuleId, RULES } from "@lockstep/kernel/rule-ids"
import type { ScriptErrorName } from "@lockstep/kernel/script"
import type { Violation } from "@lockstep/kernel/verdict"
import type { Offender } from "./debug-message.ts"
import { relayDebugMessage } from "./relay-debug-message.ts"
import { type RelayRejectionClass, relayRejectionClass } from "./relay-class.ts"
import { SCRIPT_ERROR_TEXTS } from "./script-error-text.ts"

/** Rejection of a transaction by the mempool: the reason in the words of Bitcoin Core, and its class. */
export interface RelayRejection {
  readonly reason: string
  /** Bitcoin Core's addition to the reason; `undefined` if it adds nothing. */
  readonly debug: string | undefined
  readonly what: RelayRejectionClass
  readonly rule: RuleId
}

/** Context of a validation on which some rejections depend. */
export interface RelayContext {
  /** True if a sibling counts among the conflicts (POL-097). */
  readonly evictsSibling?: boolean
  /** True if the transaction has no witness and spends a program that needs one. */
  readonly isStripped?: boolean
}

const NAMES_SIBLING: ReadonlySet<RuleId> = new Set<RuleId>(["POL-110", "POL-111", "POL-112"])

const scriptErrorOf = ({ detail }: Violation): ScriptErrorName | undefined => {
  if (typeof detail !== "object" || detail === null || !("error" in detail && "input" in detail)) return undefined
  return detail.error as ScriptErrorName
}

/**
 * Returns the rejection of a transaction by the mempool. `violation` is of a relay rule, of a transaction or of its
 * inputs, or an `InputFailure` of a script.
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
