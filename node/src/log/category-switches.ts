import type { LogLevel } from "../config/config.ts"
import { CORE_CATEGORIES } from "./core-categories.ts"
import { isWanted, type Levels } from "./log-record.ts"

/** The parts of the node that have a log category. */
const LOG_CATEGORIES: ReadonlyArray<string> = ["chain", "config", "events", "health", "log", "net", "node", "rpc"]

const inDetail = (levels: Levels, category: string): boolean => isWanted(levels, { level: "debug", category })

/**
 * Returns the node's category for one of Bitcoin Core's names, or `undefined` for the node's own and for names without
 * lines.
 */
const meant = (name: string): string | undefined => {
  const own = Object.hasOwn(CORE_CATEGORIES, name) ? CORE_CATEGORIES[name] : undefined
  return own === name ? undefined : own
}

const namesFor = (own: string): ReadonlyArray<string> =>
  Object.keys(CORE_CATEGORIES).filter((name) => meant(name) === own)

/** The names that can always be turned on and off: the node's categories and those of Bitcoin Core. */
export const SWITCH_NAMES: ReadonlyArray<string> = [
  ...new Set([...LOG_CATEGORIES, ...Object.keys(CORE_CATEGORIES)])
].toSorted()

/**
 * Returns every name that can be turned on and off: the node's categories, those of Bitcoin Core, and those with a
 * configured level.
 */
export const switchNames = ({ categories }: Levels): ReadonlyArray<string> =>
  [...new Set([...SWITCH_NAMES, ...Object.keys(categories)])].toSorted()

/** Reports whether a name is on: its category logs in detail, and the name was not turned off itself. */
export const isOn = (levels: Levels, name: string): boolean => {
  const own = meant(name)
  if (own === undefined) return inDetail(levels, name)
  return inDetail(levels, own) && (levels.categories[name] === undefined || inDetail(levels, name))
}

const MOST_DETAILED_FIRST: ReadonlyArray<LogLevel> = ["trace", "debug", "info", "warn", "error", "none"]

const detailOf = (level: LogLevel): number => MOST_DETAILED_FIRST.indexOf(level)

/**
 * Completes the configured levels. A name of Bitcoin Core's raises the level of its category to the most detailed level
 * of any such name. It never lowers it, because others share the category.
 */
export const configuredLevels = (levels: Levels): Levels => {
  const categories: Categories = { ...levels.categories }
  for (const [name, level] of Object.entries(levels.categories)) {
    const own = meant(name)
    if (own === undefined || levels.categories[own] !== undefined) continue
    if (detailOf(level) < detailOf(categories[own] ?? levels.level)) categories[own] = level
  }
  return { ...levels, categories }
}

type Categories = Record<string, LogLevel>

const turnOne = (levels: Levels, name: string, on: boolean): Levels => {
  if (isOn(levels, name) === on) return levels
  const quiet: LogLevel = levels.level === "debug" || levels.level === "trace" ? "info" : levels.level
  const own = meant(name)
  const categories: Categories = { ...levels.categories, [name]: on ? "debug" : quiet }
  if (own === undefined) {
    for (const each of namesFor(name)) delete categories[each]
    return { ...levels, categories }
  }
  const others = namesFor(own).filter((each) => each !== name)
  // Other names of the category keep their state, whatever its level becomes.
  for (const each of others) categories[each] = isOn(levels, each) ? "debug" : quiet
  if (on) categories[own] = "debug"
  else if (!others.some((each) => isOn(levels, each))) categories[own] = quiet
  return { ...levels, categories }
}

/**
 * Returns the levels with some names turned on (level debug) or off. A category of the node is on as long as one of its
 * names is.
 */
export const turned = (levels: Levels, names: ReadonlyArray<string>, on: boolean): Levels =>
  names.reduce((before, name) => turnOne(before, name, on), levels)
