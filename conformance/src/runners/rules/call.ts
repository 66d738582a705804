import type { Cursor } from "@lockstep/kernel/internal/bytes/cursor.ts"
import type { Fault } from "@lockstep/kernel/internal/script/fault.ts"
import type { Verdict } from "@lockstep/kernel/internal/verdict.ts"
import type { Field } from "../../formats/field.ts"
import type { Bench } from "../../judge/bench.ts"
import { faultAnswer, type RuleAnswer, valueAnswer, verdictAnswer, violationAnswer } from "./answer.ts"
import type { Parameter } from "./parameter.ts"

/** Calls a kernel function with the `args` of a case. */
export type Call = (args: Field, bench: Bench) => RuleAnswer

type Parameters<A extends ReadonlyArray<unknown>> = { readonly [K in keyof A]: Parameter<A[K]> }

export const reader =
  <A extends ReadonlyArray<unknown>, R>(answer: (result: R, args: A) => RuleAnswer) =>
  (call: (...args: A) => R, ...parameters: Parameters<A>): Call =>
  (given, bench) => {
    const args = parameters.map((parameter) => parameter.read(given, bench)) as unknown as A
    return answer(call(...args), args)
  }

export const fault = <A extends ReadonlyArray<unknown>>(
  call: (...args: A) => Fault,
  ...parameters: Parameters<A>
): Call => reader<A, Fault>(faultAnswer)(call, ...parameters)

export const verdict = <A extends ReadonlyArray<unknown>>(
  call: (...args: A) => Verdict<unknown>,
  ...parameters: Parameters<A>
): Call => reader<A, Verdict<unknown>>(verdictAnswer)(call, ...parameters)

export const value = <A extends ReadonlyArray<unknown>>(
  call: (...args: A) => unknown,
  ...parameters: Parameters<A>
): Call => reader<A, unknown>(valueAnswer)(call, ...parameters)

/** What is read from a cursor counts only while nothing is broken. */
export const reading = <A extends readonly [Cursor, ...ReadonlyArray<unknown>]>(
  call: (...args: A) => unknown,
  ...parameters: Parameters<A>
): Call =>
  reader<A, unknown>((result, [cursor]) =>
    cursor.broken === undefined ? valueAnswer(result) : violationAnswer(cursor.broken)
  )(
    call,
    ...parameters
  )
