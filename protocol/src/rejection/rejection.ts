import type { RuleId } from "@lockstep/kernel/generated/rule-ids.ts"
import type { ScriptErrorName } from "@lockstep/kernel/script/script-error.ts"
import type { Violation } from "@lockstep/kernel/verdict.ts"
import { REASONS, type RejectionClass } from "./reasons.ts"
import { SCRIPT_ERROR_TEXTS } from "./script-error-text.ts"

/** Why a block or header is refused, in the words that other software knows, and what follows from it. */
export interface Rejection {
  readonly reason: string
  readonly what: RejectionClass
  /** The rule that was broken; none where no rule was asked, only the tree of headers. */
  readonly rule: RuleId | undefined
}

/** The parent of a header is not known. */
export const PARENT_MISSING: Rejection = { reason: "prev-blk-not-found", what: "missing parent", rule: undefined }
/** The parent of a header is invalid. */
export const PARENT_INVALID: Rejection = { reason: "bad-prevblk", what: "invalid parent", rule: undefined }
/** The block was found invalid before. */
export const KNOWN_INVALID: Rejection = { reason: "duplicate-invalid", what: "known invalid", rule: undefined }

const eightDigits = (value: number): string => (value >>> 0).toString(16).padStart(8, "0")

const completed = (reason: string, { detail }: Violation): string =>
  reason.endsWith("(") ? `${reason}0x${eightDigits((detail as { readonly version: number }).version)})` : reason

const isScriptDetail = (detail: unknown): detail is { readonly error: ScriptErrorName } =>
  typeof detail === "object" && detail !== null && "error" in detail && Object.hasOwn(SCRIPT_ERROR_TEXTS, String(detail.error))

/** The rejection of a block that breaks a rule. Precondition: the rule is one that blocks are judged by. */
export const rejectionOf = (violation: Violation): Rejection => {
  const { detail, rule } = violation
  const known = REASONS[rule]
  if (known !== undefined) return { reason: completed(known[0], violation), what: known[1], rule }
  const text = isScriptDetail(detail) ? SCRIPT_ERROR_TEXTS[detail.error] : rule
  return { reason: `block-script-verify-flag-failed (${text})`, what: "invalid", rule }
}
