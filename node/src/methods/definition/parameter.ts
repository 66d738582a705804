import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { hashOfText } from "../../hex.ts"
import { jsonKind, type JsonKind, type JsonMembers, type JsonNumber, type JsonRead } from "../../json/json-value.ts"
import { invalidParameter, type CallError, callError, wrongKind } from "../../queries/call-error.ts"

/** One parameter of a method: its description for documents, and the reading of its value. */
export interface Parameter<A> {
  readonly description: string
  readonly required: boolean
  /** Default value, as help shows it. */
  readonly standard: string | undefined
  /** Alternative names. */
  readonly aliases: ReadonlyArray<string>
  /** Text for the usage line, if it is not derived from name and kind. */
  readonly usage: string | undefined
  /** True if it is accepted but never shown: it exists for tools of Bitcoin Core. */
  readonly isHidden: boolean
  /** True if its value may itself look like `name=value`: an unknown name is then no error. */
  readonly takesAnyText: boolean
  /** Its members that callers may also give as named parameters. */
  readonly members: ReadonlyArray<string>
  /**
   * Required kind of the value, or `undefined` if several are accepted. The kinds of all parameters are checked before
   * one is read.
   */
  readonly kind: JsonKind | undefined
  /** Schema of the value on the wire, for documents. */
  readonly schema: Schema.Top
  /**
   * Reads the value. `value` is null if the parameter is missing, which `isGiven` distinguishes from a given null.
   * `name` is its declared name.
   */
  readonly read: (value: JsonRead, name: string, isGiven: boolean) => Result.Result<A, CallError>
}

interface Described {
  readonly description: string
  readonly aliases?: ReadonlyArray<string>
  readonly takesAnyText?: boolean
  readonly usage?: string
}

const parameter = <A>(
  { aliases = [], description, takesAnyText = false, usage }: Described,
  kind: JsonKind | undefined,
  schema: Schema.Top,
  read: Parameter<A>["read"]
): Parameter<A> => ({
  description,
  required: true,
  standard: undefined,
  aliases,
  usage,
  isHidden: false,
  takesAnyText,
  members: [],
  kind,
  schema,
  read
})

/** Hides a parameter from help and documents. */
export const hidden = <A>(of: Parameter<A>): Parameter<A> => ({ ...of, isHidden: true })

/** Lets callers also give these members of an object parameter as named parameters. */
export const withNamed = <A>(of: Parameter<A>, names: ReadonlyArray<string>): Parameter<A> => ({
  ...of,
  members: names
})

/** Makes a parameter optional. */
export const optional = <A>(of: Parameter<A>): Parameter<A | undefined> => ({
  ...of,
  required: false,
  read: (value, name, isGiven) => value === null ? Result.succeed(undefined) : of.read(value, name, isGiven)
})

/** Makes a parameter optional, while null remains a valid value. */
export const whereGiven = <A>(of: Parameter<A>): Parameter<A | undefined> => ({
  ...of,
  required: false,
  read: (value, name, isGiven) => isGiven ? of.read(value, name, isGiven) : Result.succeed(undefined)
})

/** Makes a parameter optional with a default value. */
export const optionalWith = <A>(of: Parameter<A>, value: A, shown: string = String(value)): Parameter<A> => ({
  ...of,
  required: false,
  standard: shown,
  read: (given, name, isGiven) => given === null ? Result.succeed(value) : of.read(given, name, isGiven)
})

const ofKind = <A>(
  value: JsonRead,
  kind: JsonKind,
  read: () => Result.Result<A, CallError>
): Result.Result<A, CallError> => {
  const given = jsonKind(value)
  return given === kind ? read() : Result.fail(wrongKind(`JSON value of type ${given} is not of expected type ${kind}`))
}

const INTEGER = /^-?[0-9]+$/

/** Reads an integer within a range. */
export const integerOf = (
  value: JsonRead,
  minimum = -(2 ** 31),
  maximum = 2 ** 31 - 1
): Result.Result<number, CallError> =>
  ofKind(value, "number", () => {
    const { text } = value as JsonNumber
    const number = Number(text)
    return INTEGER.test(text) && number >= minimum && number <= maximum
      ? Result.succeed(number === 0 ? 0 : number)
      : Result.fail(callError("Misc", "JSON integer out of range"))
  })

const INT64 = { lowest: -(2n ** 63n), highest: 2n ** 63n - 1n }

/** Reads a 64-bit integer. */
const int64Of = (value: JsonRead): Result.Result<bigint, CallError> =>
  ofKind(value, "number", () => {
    const { text } = value as JsonNumber
    const number = INTEGER.test(text) ? BigInt(text) : undefined
    return number !== undefined && number >= INT64.lowest && number <= INT64.highest
      ? Result.succeed(number)
      : Result.fail(callError("Misc", "JSON integer out of range"))
  })

export const stringOf = (value: JsonRead): Result.Result<string, CallError> =>
  ofKind(value, "string", () => Result.succeed(value as string))

export const booleanOf = (value: JsonRead): Result.Result<boolean, CallError> =>
  ofKind(value, "bool", () => Result.succeed(value as boolean))

/** Reads a hash in display order and returns it in wire order. `called` is its name in messages. */
export const hashOf = (value: JsonRead, called: string): Result.Result<Uint8Array, CallError> =>
  Result.flatMap(stringOf(value), (digits) => {
    const hash = hashOfText(digits)
    if (hash !== undefined) return Result.succeed(hash)
    const length = Buffer.byteLength(digits)
    return Result.fail(invalidParameter(
      length === 64
        ? `${called} must be hexadecimal string (not '${digits}')`
        : `${called} must be of length 64 (not ${length}, for '${digits}')`
    ))
  })

/** A 32-bit integer. */
export const integer = (given: Described): Parameter<number> =>
  parameter(given, "number", Schema.Int, (value) => integerOf(value))

/** An unsigned 32-bit integer. */
export const unsigned = (given: Described): Parameter<number> =>
  parameter(given, "number", Schema.Int, (value) => integerOf(value, 0, 2 ** 32 - 1))

/** An integer that a double represents exactly. */
export const longInteger = (given: Described): Parameter<number> =>
  parameter(given, "number", Schema.Int, (value) => integerOf(value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER))

/** A 64-bit integer. */
export const int64 = (given: Described): Parameter<bigint> => parameter(given, "number", Schema.Int, int64Of)

/** Any number, as a double. */
export const double = (given: Described): Parameter<number> =>
  parameter(
    given,
    "number",
    Schema.Number,
    (value) => ofKind(value, "number", () => Result.succeed(Number((value as JsonNumber).text)))
  )

export const boolean = (given: Described): Parameter<boolean> => parameter(given, "bool", Schema.Boolean, booleanOf)

export const text = (given: Described): Parameter<string> => parameter(given, "string", Schema.String, stringOf)

/** A hash in display order. `called` is its name in messages, if it differs from the parameter's. */
export const hash = (given: Described & { readonly called?: string }): Parameter<Uint8Array> =>
  parameter(given, "string", Schema.String, (value, name) => hashOf(value, given.called ?? name))

/** A level of detail: a small number or, unless `onlyNumbers`, a boolean as in older versions. */
export const verbosity = (given: Described & { readonly onlyNumbers?: boolean }): Parameter<number> =>
  parameter(given, undefined, Schema.Union([Schema.Int, Schema.Boolean]), (value) => {
    if (typeof value !== "boolean") return integerOf(value)
    if (given.onlyNumbers === true) return Result.fail(wrongKind("Verbosity was boolean but only integer allowed"))
    return Result.succeed(value ? 1 : 0)
  })

/** A value that the method reads itself. */
export const anything = (given: Described, schema: Schema.Top): Parameter<JsonRead> =>
  parameter(given, undefined, schema, (value) => Result.succeed(value))

export const array = (given: Described, schema: Schema.Top): Parameter<ReadonlyArray<JsonRead>> =>
  parameter(
    given,
    "array",
    schema,
    (value) => ofKind(value, "array", () => Result.succeed(value as ReadonlyArray<JsonRead>))
  )

export const members = (given: Described, schema: Schema.Top): Parameter<JsonMembers> =>
  parameter(given, "object", schema, (value) => ofKind(value, "object", () => Result.succeed(value as JsonMembers)))
