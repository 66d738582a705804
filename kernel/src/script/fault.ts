import { RULE_IDS, RULE_INDEX, type RuleId } from "../generated/rule-ids.ts"
import { type Violation, violation } from "../verdict.ts"
import { SCRIPT_ERROR_NAMES, type ScriptError, type ScriptErrorName } from "./script-error.ts"

/**
 * What an opcode handler answers: 0 when its rule holds, otherwise the broken rule and the reference error in one
 * small integer (`ruleIndex · 256 + error`). An opcode runs up to millions of times a block, and a small integer never
 * reaches the garbage collector; `verifyScript` lifts the first fault of an input into a `Violation`.
 */
export type Fault = number

/** No rule broken. @internal */
export const NO_FAULT: Fault = 0

/** What a broken script rule tells: the reference error name. */
export type ScriptFailure<Id extends RuleId = RuleId> = Violation<Id, { readonly error: ScriptErrorName }>

/** Rule `rule` is broken with `error`. @internal */
export const fault = (rule: RuleId, error: ScriptError): Fault => RULE_INDEX[rule] * 256 + error

/** The reference error name of `f`; `OK` for no fault. @internal */
export const errorOf = (f: Fault): ScriptErrorName => SCRIPT_ERROR_NAMES[f & 255]!

/** The rule `f` names. Precondition: `f` is not {@link NO_FAULT}. @internal */
export const ruleOf = (f: Fault): RuleId => RULE_IDS[f >>> 8]!

/** Lifts a fault into plain data. Precondition: `f` is not {@link NO_FAULT}. @internal */
export const violationOf = (f: Fault): ScriptFailure => violation(ruleOf(f), { error: errorOf(f) })
