import { ScriptFlag, type ScriptFlagName, type ScriptFlags } from "@lockstep/kernel/internal/script/flags.ts"
import type { Field } from "./field.ts"

const NAMES = Object.keys(ScriptFlag).filter((name) => name !== "NONE") as ReadonlyArray<ScriptFlagName>

/** Each flag on its own. */
export const SINGLE_FLAGS: ReadonlyArray<ScriptFlags> = NAMES.map((name) => ScriptFlag[name])

/** Every flag there is. */
export const ALL_FLAGS: ScriptFlags = SINGLE_FLAGS.reduce((all, flag) => all | flag, 0)

/** The flags a field lists, as an array of names or as names with commas between. */
export const flagsOf = (field: Field): ScriptFlags => {
  const names = Array.isArray(field.raw) ? field.items.map((item) => item.text) : field.text.split(",")
  let flags = 0
  for (const name of names) {
    if (name === "") continue
    if (!Object.hasOwn(ScriptFlag, name)) field.fail(`unknown flag "${name}"`)
    flags |= ScriptFlag[name as ScriptFlagName]
  }
  return flags
}

/** Names of the flags in `flags`, for people. */
export const flagNames = (flags: ScriptFlags): string =>
  NAMES.filter((name) => (flags & ScriptFlag[name]) !== 0).join(",") || "NONE"
