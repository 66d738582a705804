import * as Result from "effect/Result"
import type { ConfEntry } from "./conf-text.ts"
import { type KnownOptions, optionKey, readValue } from "./option-key.ts"
import type { SettingValue } from "./setting-value.ts"

/** Values of options by section and name. */
export type ConfValues = Map<string, Map<string, Array<SettingValue>>>

const CONF_IN_FILE =
  "conf cannot be set in the configuration file; use includeconf= if you want to include additional config files"

const REINDEX_IN_FILE =
  "reindex=1 is set in the configuration file, which will significantly slow down startup. Consider removing or commenting out this option for better performance, unless there is currently a condition which makes rebuilding the indexes necessary"

/** Adds the entries of a file to `into`. Returns the warnings for the log, or fails with Bitcoin Core's message. */
export const addConfValues = (
  into: ConfValues,
  entries: ReadonlyArray<ConfEntry>,
  known: KnownOptions
): Result.Result<ReadonlyArray<string>, string> => {
  const warnings: Array<string> = []
  for (const { key: written, value: text } of entries) {
    const key = optionKey(written)
    if (key.name === "conf") return Result.fail(CONF_IN_FILE)
    if (key.name === "reindex") warnings.push(REINDEX_IN_FILE)
    const facts = known.get(key.name)
    if (facts === undefined) {
      warnings.push(`Ignoring unknown configuration value ${written}`)
      continue
    }
    const read = readValue(key, text, facts)
    if (Result.isFailure(read)) return Result.fail(read.failure)
    const { value, warning } = read.success
    if (warning !== undefined) warnings.push(warning)
    const section = into.get(key.section) ?? new Map<string, Array<SettingValue>>()
    into.set(key.section, section)
    section.set(key.name, [...section.get(key.name) ?? [], value])
  }
  return Result.succeed(warnings)
}
