import * as Result from "effect/Result"
import { type KnownOptions, optionKey, readValue } from "./option-key.ts"
import { givenValues } from "./given-values.ts"
import type { SettingValue } from "./setting-value.ts"

export type ValuesByName = ReadonlyMap<string, ReadonlyArray<SettingValue>>

/** Content of a command line. */
export interface CommandLine {
  readonly options: ValuesByName
  /** Words from the first one without a dash on: a command and its arguments. */
  readonly words: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

/** Reads the arguments of a program of Bitcoin Core. A failure is Bitcoin Core's message. */
export const readCommandLine = (
  words: ReadonlyArray<string>,
  known: KnownOptions
): Result.Result<CommandLine, string> => {
  const options = new Map<string, Array<SettingValue>>()
  const warnings: Array<string> = []
  let rest: ReadonlyArray<string> = []
  for (const [at, word] of words.entries()) {
    if (word === "-") break
    const equals = word.indexOf("=")
    const typed = equals < 0 ? word : word.slice(0, equals)
    if (!typed.startsWith("-")) {
      rest = words.slice(at)
      break
    }
    const key = optionKey(typed.replace(/^--?/, ""))
    const facts = known.get(key.name)
    if (facts === undefined || key.section !== "") return Result.fail(`Invalid parameter ${word}`)
    const read = readValue(key, equals < 0 ? undefined : word.slice(equals + 1), facts)
    if (Result.isFailure(read)) return Result.fail(read.failure)
    const { value, warning } = read.success
    if (warning !== undefined) warnings.push(warning)
    options.set(key.name, [...options.get(key.name) ?? [], value])
  }
  const [include] = givenValues(options.get("includeconf") ?? []).values
  if (include !== undefined) {
    return Result.fail(`-includeconf cannot be used from commandline; -includeconf=${JSON.stringify(include)}`)
  }
  return Result.succeed({ options, words: rest, warnings })
}
