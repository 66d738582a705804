import { type RuleId, RULES } from "@lockstep/kernel/rule-ids"
import type { OldVersion } from "@lockstep/kernel/header"
import type { ScriptErrorName } from "@lockstep/kernel/script"
import type { Violation } from "@lockstep/kernel/verdict"
import { debugMessage, type Offender } from "./debug-message.ts"
import { type RejectionClass, rejectionClass } from "./rejection-class.ts"
import { SCRIPT_ERROR_TEXTS } from "./script-error-text.ts"

/** Why a block or header is refused, in the words that other software knows, and what follows from it. */
export interface Rejection {
  readonly reason: string
  readonly class: RejectionClass
  /** The rule that was broken; none where no rule was asked, only the tree of headers. */
  readonly rule: RuleId | undefined
  /** What Bitcoin Core adds to the reason in logs and errors; none: nothing. */
  readonly debug?: string
}

/** The parent of a header is not known. */
export const PARENT_MISSING: Rejection = { reason: "prev-blk-not-found", class: "missing parent", rule: undefined }
/** The parent of a header is invalid. */
export const PARENT_INVALID: Rejection = { reason: "bad-prevblk", class: "invalid parent", rule: undefined }
/** The block was found invalid before. */
export const KNOWN_INVALID: Rejection = { reason: "duplicate-invalid", class: "known invalid", rule: undefined }

/** Scripts fail under one reason, whatever their rule: that of UTX-010, which has them judged. */
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
 * The rejection of a block that breaks a rule. Precondition: the rule is one that blocks, headers or scripts are judged
 * by. `offender` is the transaction of the block that breaks it, where it is one.
 */
export const rejectionOf = (violation: Violation, offender?: Offender): Rejection => {
  const debug = debugMessage(violation, offender)
  const rejection = { reason: reasonOf(violation), class: rejectionClass(violation.rule), rule: violation.rule }
  return debug === undefined ? rejection : { ...rejection, debug }
}

/**
 * The reason with what Bitcoin Core adds to it, as its logs and errors have it. Answers by BIP22 are the bare reason.
 */
export const rejectionText = (
  { debug, reason }: { readonly reason: string; readonly debug?: string | undefined }
): string => debug === undefined ? reason : `${reason}, ${debug}`
