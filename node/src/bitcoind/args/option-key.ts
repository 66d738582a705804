import * as Result from "effect/Result"
import { settingBoolean, type SettingValue } from "./setting-value.ts"

/** Facts about an option that its parsing needs. */
export interface OptionFacts {
  readonly name: string
  /** True if values accumulate. */
  readonly list?: boolean
  /**
   * True if the option counts, on chains other than main, only in the chain's section of a file or on the command line.
   */
  readonly networkOnly?: boolean
  /** True if logs must not show its value. */
  readonly sensitive?: boolean
  readonly noNegation?: boolean
  readonly noElision?: boolean
}

export type KnownOptions = ReadonlyMap<string, OptionFacts>

/** Parts of a key: `regtest.nolisten` has section `regtest` and name `listen`, and is negated. */
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

/** A value, with a warning for the log about its spelling. */
export interface ReadValue {
  readonly value: SettingValue
  readonly warning?: string
}

/** Returns the value of an option from its key and the text after `=`. A failure is Bitcoin Core's message. */
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
