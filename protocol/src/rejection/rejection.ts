import { type RuleId, RULES } from "@lockstep/kernel/rule-ids"
import type { OldVersion } from "@lockstep/kernel/header"
import type { ScriptErrorName } from "@lockstep/kernel/script"
import type { Violation } from "@lockstep/kernel/verdict"
import { debugMessage, type Offender } from "./debug-message.ts"
import { type RejectionClass, rejectionClass } from "./rejection-class.ts"
import { SCRIPT_ERROR_TEXTS } from "./script-error-text.ts"

/** Rejection of a block or header: the reason in established words, and its class. */
export interface Rejection {
  readonly reason: string
  readonly class: RejectionClass
  /** The rule that was broken; `undefined` if only the tree of headers was consulted. */
  readonly rule: RuleId | undefined
  /** Bitcoin Core's addition to the reason in logs and errors; absent if it adds nothing. */
  readonly debug?: string
}

/** The parent of a header is not known. */
export const PARENT_MISSING: Rejection = { reason: "prev-blk-not-found", class: "missing parent", rule: undefined }
/** The parent of a header is invalid. */
export const PARENT_INVALID: Rejection = { reason: "bad-prevblk", class: "invalid parent", rule: undefined }
/** The block was found invalid before. */
export const KNOWN_INVALID: Rejection = { reason: "duplicate-invalid", class: "known invalid", rule: undefined }

/** The reason of every script failure, whatever its rule: that of UTX-010, which requires valid scripts. */
const SCRIPT_REASON = RULES["UTX-010"].reject

const scriptErrorOf = ({ detail }: Violation): ScriptErrorName | undefined => {
  if (typeof detail !== "object" || detail === null || !("error" in detail)) return undefined
  const name = String(detail.error)
  return Object.hasOwn(SCRIPT_ERROR_TEXTS, name) ? name as ScriptErrorName : undefined
}

const isOldVersion = (violation: Violation): violation is OldVersion => violation.rule === "HDR-005"

const reasonOf = (violation: Violation): string => {
  const { reject } = RULES[violation.rule]
  if (isOldVersion(violation)) return `${reject}(0x${(violation.detail.version >>> 0).toString(16).padStart(8, "0")})`
  const error = scriptErrorOf(violation)
  return error === undefined ? reject : `${SCRIPT_REASON} (${SCRIPT_ERROR_TEXTS[error]})`
}

/**
 * Returns the rejection of a block that breaks a rule. Precondition: the rule applies to blocks, headers or scripts.
 * `offender` is the transaction of the block that breaks it, if any.
 */
export const rejectionOf = (violation: Violation, offender?: Offender): Rejection => {
  const debug = debugMessage(violation, offender)
  const rejection = { reason: reasonOf(violation), class: rejectionClass(violation.rule), rule: violation.rule }
  return debug === undefined ? rejection : { ...rejection, debug }
}

/** Formats the reason with Bitcoin Core's addition, as in its logs and errors. BIP22 results have the reason alone. */
export const rejectionText = (
  { debug, reason }: { readonly reason: string; readonly debug?: string | undefined }
): string => debug === undefined ? reason : `${reason}, ${debug}`
