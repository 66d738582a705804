import type { ValuesByName } from "./command-line.ts"
import type { ConfValues } from "./conf-values.ts"
import { givenValues, type GivenValues } from "./given-values.ts"
import type { SettingValue } from "./setting-value.ts"

/** All sources of values. */
export interface SettingSources {
  /** Values that other options imply. */
  readonly forced: ReadonlyMap<string, SettingValue>
  readonly commandLine: ValuesByName
  /** Values of `settings.json`. */
  readonly saved: ReadonlyMap<string, SettingValue>
  readonly conf: Readonly<Pick<ConfValues, "get">>
}

type Place = "forced" | "command line" | "saved" | "section" | "default section"

interface Found extends GivenValues {
  readonly place: Place
}

const only = (value: SettingValue | undefined): ReadonlyArray<SettingValue> => value === undefined ? [] : [value]

/** Returns the values of an option by source, the highest precedence first. */
const placesOf = (
  { commandLine, conf, forced, saved }: SettingSources,
  section: string,
  name: string
): ReadonlyArray<Found> => {
  const all: ReadonlyArray<readonly [Place, ReadonlyArray<SettingValue>]> = [
    ["forced", only(forced.get(name))],
    ["command line", commandLine.get(name) ?? []],
    ["saved", only(saved.get(name))],
    ["section", section === "" ? [] : conf.get(section)?.get(name) ?? []],
    ["default section", conf.get("")?.get(name) ?? []]
  ]
  return all.filter(([, values]) => values.length > 0).map(([place, values]) => ({ place, ...givenValues(values) }))
}

const isOfFile = ({ place }: Found): boolean => place === "section" || place === "default section"

/**
 * Returns the effective value of an option. If `isChainType`, the last value of a file counts, and negations are
 * ignored.
 */
export const settingOf = (
  settings: SettingSources,
  section: string,
  name: string,
  { ignoreDefaultSection = false, isChainType = false } = {}
): SettingValue | undefined => {
  for (const found of placesOf(settings, section, name)) {
    const { endsNegated, place, values } = found
    if (ignoreDefaultSection && place === "default section" && !endsNegated) continue
    if (isChainType && endsNegated) continue
    if (endsNegated) return false
    // In a file, the first value counts.
    return isOfFile(found) && !isChainType ? values[0] : values.at(-1)
  }
  return undefined
}

/** Returns all effective values, the highest precedence first. */
export const settingsOf = (
  settings: SettingSources,
  section: string,
  name: string,
  ignoreDefaultSection = false
): ReadonlyArray<SettingValue> => {
  const all: Array<SettingValue> = []
  let isDone = false
  let isNegatedAndEmpty = false
  for (const found of placesOf(settings, section, name)) {
    const { endsNegated, hasNegation, place, values } = found
    if (ignoreDefaultSection && place === "default section") continue
    // As in Bitcoin Core, values of a file count again if a negation on the command line is followed by another value.
    const comeBack = isOfFile(found) && !isNegatedAndEmpty
    if (!isDone || comeBack) {
      for (const value of values) all.push(...(Array.isArray(value) ? value as Array<SettingValue> : [value]))
    }
    isDone ||= hasNegation || place === "forced"
    isNegatedAndEmpty ||= endsNegated && all.length === 0
  }
  return all
}

/** Reports whether an option is set only outside the sections of a file. */
export const isOnlyInDefaultSection = (settings: SettingSources, section: string, name: string): boolean => {
  const places = placesOf(settings, section, name).filter(({ values }) => values.length > 0)
  return places.length > 0 && places.every(({ place }) => place === "default section")
}
