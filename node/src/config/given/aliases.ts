import { shownKey } from "../catalogue.ts"
import type { Reading } from "./given.ts"

/** Other names of keys. */
const ALIASES: ReadonlyArray<readonly [alias: string, key: string]> = [
  ["logging.filter", "logging.level"],
  ["mempool.max_mb", "mempool.max_mempool_mb"]
]

/** Returns the key that an alias means. */
export const withoutAlias = (name: string): string => ALIASES.find(([alias]) => alias === name)?.[1] ?? name

const without = (reading: Reading, [name, key]: typeof ALIASES[number]): Reading => {
  const alias = reading.given.find((each) => each.key === name)
  if (alias === undefined) return reading
  const own = reading.given.find((each) => each.key === key)
  const given = reading.given.filter((each) => each.key !== name)
  if (own === undefined) return { ...reading, given: [...given, { ...alias, key }] }
  if (own.value === alias.value) return { ...reading, given }
  const names = `${shownKey(name)} and ${shownKey(key)}`
  const problem = `${alias.source}: ${names} are one key with two different values; keep one`
  return { ...reading, problems: [...reading.problems, problem] }
}

/** Replaces the aliases in a file by the names of the keys. The file has each key once. */
export const withoutAliases = (reading: Reading): Reading => ALIASES.reduce(without, reading)
