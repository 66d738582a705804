import * as Result from "effect/Result"
import { invalidParameter, type CallError } from "../../queries/call-error.ts"

const TYPES: Readonly<Record<string, number>> = {
  DEFAULT: 0,
  ALL: 1,
  "ALL|ANYONECANPAY": 0x81,
  NONE: 2,
  "NONE|ANYONECANPAY": 0x82,
  SINGLE: 3,
  "SINGLE|ANYONECANPAY": 0x83
}

/** Returns the hash type of that name. */
export const hashTypeOf = (name: string): Result.Result<number, CallError> => {
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined
  return type === undefined
    ? Result.fail(invalidParameter(`'${name}' is not a valid sighash parameter.`))
    : Result.succeed(type)
}

/** Returns the name of a hash type by its last byte, or an empty text if it has none. */
export const sighashText = (type: number): string => {
  const name = Object.keys(TYPES).find((each) => TYPES[each] === (type & 0xff))
  return name === undefined || name === "DEFAULT" ? "" : name
}
