import * as Result from "effect/Result"
import type { RuleId } from "./generated/rule-ids.ts"

/**
 * A rule was broken. Plain data: no `Error`, no stack, no message. The rule id is the message;
 * the caller that shows it to the operator turns it into words.
 */
export interface Violation<Id extends RuleId = RuleId, Detail = unknown> {
  readonly _tag: "Violation"
  readonly rule: Id
  readonly detail: Detail
}

/** Result of every rule: the value it establishes, or the violation it found. */
export type Verdict<A, V extends Violation = Violation> = Result.Result<A, V>

/** The one shared "holds, nothing to report" verdict; rules that only check return this and allocate nothing. */
export const HOLDS: Result.Result<void> = Result.succeed(undefined)

/** Builds a violation of rule `rule`. */
export const violation = <Id extends RuleId, Detail>(rule: Id, detail: Detail): Violation<Id, Detail> => ({
  _tag: "Violation",
  rule,
  detail
})
