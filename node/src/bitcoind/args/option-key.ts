import * as Result from "effect/Result"
import { settingBoolean, type SettingValue } from "./setting-value.ts"

/** What arguments must know of an option. */
export interface OptionFacts {
  readonly name: string
  /** Values add up. */
  readonly list?: boolean
  /** On another chain than main it counts only in that chain's section of a file, or on the command line. */
  readonly networkOnly?: boolean
  /** Must not be shown in a log. */
  readonly sensitive?: boolean
  readonly noNegation?: boolean
  readonly noElision?: boolean
}

export type KnownOptions = ReadonlyMap<string, OptionFacts>

/** The parts of a key: `regtest.nolisten` is section `regtest`, name `listen`, negated. */
export interface OptionKey {
  readonly section: string
  readonly name: string
  readonly negated: boolean
}

export const optionKey = (text: string): OptionKey => {
  const dot = text.indexOf(".")
  const section = dot < 0 ? "" : text.slice(0, dot)
  const rest = dot < 0 ? text : text.slice(dot + 1)
  const negated = rest.startsWith("no")
  return { section, name: negated ? rest.slice(2) : rest, negated }
}

/** A value, and what the log should say about the way it was written. */
export interface ReadValue {
  readonly value: SettingValue
  readonly warning?: string
}

/** The value that an option gets by its key and the text after `=`; a failure is Bitcoin Core's message. */
export const readValue = (
  { name, negated }: OptionKey,
  text: string | undefined,
  { noElision = false, noNegation = false }: OptionFacts
): Result.Result<ReadValue, string> => {
  if (negated) {
    if (noNegation) return Result.fail(`Negating of -${name} is meaningless and therefore forbidden`)
    if (text === undefined || settingBoolean(text)) return Result.succeed({ value: false })
    return Result.succeed({
      value: true,
      warning: `Parsed potentially confusing double-negative -${name}=${text}`
    })
  }
  if (text === undefined && noElision) {
    return Result.fail(`Can not set -${name} with no value. Please specify value with -${name}=value.`)
  }
  return Result.succeed({ value: text ?? "" })
}
