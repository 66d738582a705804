import { RULE_IDS, RULE_INDEX, type RuleId } from "../generated/rule-ids.ts"
import { type Violation, violation } from "../verdict.ts"
import { SCRIPT_ERROR_NAMES, type ScriptError, type ScriptErrorName } from "./script-error.ts"

/**
 * Result of an opcode handler: 0 if its rule holds, otherwise the broken rule and Bitcoin Core's error in one small
 * integer (`ruleIndex · 256 + error`). An opcode runs up to millions of times a block, and a small integer never
 * reaches the garbage collector; `verifyScript` lifts the first fault of an input into a `Violation`.
 */
export type Fault = number & { readonly isFault: true }

/** No rule broken. */
export const NO_FAULT = 0 as Fault

/**
 * A question that verification asks on its way is answered with yes. Never a fault, so it has a type of its own: a
 * handler cannot return it by mistake. @internal
 */
export const YES = -1

/**
 * The answer to a question on the way: {@link YES}, {@link NO_FAULT} for no, or the fault that ends verification.
 * @internal
 */
export type Outcome = Fault | typeof YES

/** Detail of a broken script rule: Bitcoin Core's name of the error. */
export type ScriptFailure<Id extends RuleId = RuleId> = Violation<Id, { readonly error: ScriptErrorName }>

/** A script of a transaction fails: that of this input, the first one to fail. */
export type InputFailure<Id extends RuleId = RuleId> = Violation<
  Id,
  { readonly error: ScriptErrorName; readonly input: number }
>

/** Rule `rule` is broken with `error`. */
export const fault = (rule: RuleId, error: ScriptError): BrokenRule => (RULE_INDEX[rule] * 256 + error) as BrokenRule

/** A fault that names a rule, as {@link NO_FAULT} does not. @internal */
export type BrokenRule = Fault & { readonly namesRule: true }

/** Reports whether an outcome ends verification. @internal */
export const isBroken = (outcome: Outcome): outcome is BrokenRule => outcome > NO_FAULT

/** Bitcoin Core's error name of `f`; `OK` for no fault. @internal */
export const errorOf = (f: Fault): ScriptErrorName => SCRIPT_ERROR_NAMES[f & 255]!

/** The rule `f` names. Precondition: `f` is not {@link NO_FAULT}. @internal */
export const ruleOf = (f: Fault): RuleId => RULE_IDS[f >>> 8]!

/** Lifts a fault into plain data. Precondition: `f` is not {@link NO_FAULT}. */
export const violationOf = (f: Fault): ScriptFailure => violation(ruleOf(f), { error: errorOf(f) })
