import * as Result from "effect/Result"
import { nearest } from "@lockstep/protocol/nearest-name.ts"
import { isCount } from "../../methods/definition/call-method.ts"
import { positionalParams } from "../../methods/definition/positional-params.ts"
import { shownParameters } from "../../methods/help/help-text.ts"
import { JsonMembers, type JsonRead } from "../../json/json-value.ts"
import type { MethodFacts } from "../../methods/definition/method-facts.ts"
import { namedValue } from "../quick/typed-params.ts"

const shownNames = (method: MethodFacts): ReadonlyArray<string> =>
  shownParameters(method).flatMap(([name, { aliases }]) => [name, ...aliases])

/** Describes the fault of a name that no parameter has. Returns `undefined` if the text may be the value at `position`. */
const faultOf = (name: string, position: number, method: MethodFacts): string | undefined => {
  const names = shownNames(method)
  const meant = nearest(name, names)
  if (meant !== undefined) return `${method.name} has no parameter ${name}: did you mean ${meant}?`
  if (Object.values(method.parameters)[position]?.takesAnyText === true) return undefined
  return `${method.name} has no parameter ${name}: it has ${names.length === 0 ? "none" : names.join(", ")}`
}

/** Describes the first `name=value` whose name is no parameter of the method, if any. */
export const unknownParameter = (given: ReadonlyArray<string>, method: MethodFacts): string | undefined => {
  const known = new Set(Object.entries(method.parameters).flatMap(([name, { aliases }]) => [name, ...aliases]))
  let position = 0
  for (const each of given) {
    const name = namedValue(each)?.name
    if (name !== undefined && known.has(name)) continue
    const fault = name === undefined ? undefined : faultOf(name, position, method)
    if (fault !== undefined) return fault
    position++
  }
  return undefined
}

/** Reports whether the number of parameters fits the method and no required one is missing. */
export const isRightCount = (params: JsonRead, { parameters }: MethodFacts): boolean => {
  if (!Array.isArray(params) && !(params instanceof JsonMembers)) return false
  const values = positionalParams(params, parameters)
  return Result.isSuccess(values) && isCount(parameters, values.success.length)
}
