import * as Result from "effect/Result"
import { type JsonKind, jsonKind, type JsonMembers } from "../../json/json-value.ts"
import { type CallError, wrongKind } from "../../queries/call-error.ts"
import { memberOf } from "./make-transaction.ts"

/** Requirements on the members of an object. */
export interface Demands {
  /** True if members may be missing or null. */
  readonly areOptional: boolean
  /** True if no other members are allowed. */
  readonly isStrict: boolean
}

/** Checks the kinds of an object's members, in the order of their names, as Bitcoin Core does. */
export const holdKinds = (
  members: JsonMembers,
  kinds: Readonly<Record<string, JsonKind>>,
  { areOptional, isStrict }: Demands
): Result.Result<void, CallError> => {
  for (const [name, kind] of Object.entries(kinds).toSorted(([one], [other]) => one < other ? -1 : 1)) {
    const value = memberOf(members, name)
    if (areOptional && value === null) continue
    if (value === null) return Result.fail(wrongKind(`Missing ${name}`))
    if (jsonKind(value) !== kind) {
      return Result.fail(
        wrongKind(`JSON value of type ${jsonKind(value)} for field ${name} is not of expected type ${kind}`)
      )
    }
  }
  const other = isStrict ? members.keys.find((key) => !Object.hasOwn(kinds, key)) : undefined
  return other === undefined ? Result.succeed(undefined) : Result.fail(wrongKind(`Unexpected key ${other}`))
}
