import type { KnownOptions } from "./option-key.ts"
import { flagOf, settingInteger, type SettingValue, settingText } from "./setting-value.ts"
import { isOnlyInDefaultSection, type SettingSources, settingOf, settingsOf } from "./settings.ts"

/** Reads options by name, each by the rules of its source. */
export interface Args {
  readonly value: (name: string) => SettingValue | undefined
  /** Reports whether an option is set; a negation sets it too. */
  readonly isSet: (name: string) => boolean
  readonly isNegated: (name: string) => boolean
  readonly text: (name: string) => string | undefined
  readonly flag: (name: string) => boolean | undefined
  readonly integer: (name: string) => bigint | undefined
  readonly list: (name: string) => ReadonlyArray<string>
}

/** Returns the options that count on this chain only in its section but were set only outside of it. */
export const misplaced = (settings: SettingSources, chain: string, known: KnownOptions): ReadonlyArray<string> =>
  chain === "main" ?
    [] :
    [...known.values()].filter(({ name, networkOnly = false }) =>
      networkOnly && isOnlyInDefaultSection(settings, chain, name)
    ).map(({ name }) => name).sort()

export const argsOf = (settings: SettingSources, chain: string, known: KnownOptions): Args => {
  const isIgnored = (name: string): boolean => chain !== "main" && known.get(name)?.networkOnly === true
  const value = (name: string): SettingValue | undefined =>
    settingOf(settings, chain, name, { ignoreDefaultSection: isIgnored(name) }) ?? undefined
  const as = <T>(name: string, read: (value: SettingValue) => T): T | undefined => {
    const found = value(name)
    return found === undefined ? undefined : read(found)
  }
  return {
    value,
    isSet: (name) => value(name) !== undefined,
    isNegated: (name) => value(name) === false,
    text: (name) => as(name, settingText),
    flag: (name) => as(name, flagOf),
    integer: (name) => as(name, settingInteger),
    list: (name) => settingsOf(settings, chain, name, isIgnored(name)).map(settingText)
  }
}
