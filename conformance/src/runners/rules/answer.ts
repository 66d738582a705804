import type { MalformedBytes } from "@lockstep/kernel/internal/bytes/cursor.ts"
import { RULES, type RuleId } from "@lockstep/kernel/internal/generated/rule-ids.ts"
import { type Fault, NO_FAULT, type ScriptFailure, violationOf } from "@lockstep/kernel/internal/script/fault.ts"
import type { Verdict, Violation } from "@lockstep/kernel/internal/verdict.ts"
import * as Result from "effect/Result"
import { hexOf } from "../../formats/hex.ts"

/**
 * What a rule answered: it holds, it yields a value, it leaves a stack, or it is broken under its id and the
 * reference's name, with the offset where that shows if bytes were being decoded.
 */
export type RuleAnswer =
  | { readonly kind: "holds" }
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "stack"; readonly stack: ReadonlyArray<string> }
  | { readonly kind: "violation"; readonly rule: RuleId; readonly error: string; readonly offset?: number | undefined }

export const HOLDS: RuleAnswer = { kind: "holds" }

/** Bytes as hex, amounts as digits, nothing as null, arrays and objects by their parts. */
const plain = (value: unknown): unknown => {
  if (value === undefined) return null
  if (typeof value === "bigint") return String(value)
  if (value instanceof Uint8Array) return hexOf(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]))
}

export const valueAnswer = (value: unknown): RuleAnswer => ({ kind: "value", value: plain(value) })

export const violationAnswer = (violation: Violation): RuleAnswer => {
  const detail = violation.detail as Partial<ScriptFailure["detail"] & MalformedBytes["detail"]> | null
  return {
    kind: "violation",
    rule: violation.rule,
    error: detail?.error ?? RULES[violation.rule].reject,
    offset: detail?.offset
  }
}

export const faultAnswer = (fault: Fault): RuleAnswer =>
  fault === NO_FAULT ? HOLDS : violationAnswer(violationOf(fault))

export const verdictAnswer = (verdict: Verdict<unknown, Violation>): RuleAnswer => {
  if (Result.isFailure(verdict)) return violationAnswer(verdict.failure)
  return verdict.success === undefined ? HOLDS : valueAnswer(verdict.success)
}
