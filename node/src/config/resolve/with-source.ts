import { KEYS } from "../catalogue.ts"
import type { Effective } from "../given/effective.ts"

/** Matches `[storage.pruning].mode` or `[storage.pruning]` in a message. */
const NAMED = /\[([\w.-]+)\](?:\.([\w-]+))?/g

/** Returns the keys that a message names, in their order. A table is replaced by those of its keys that are set. */
const keysIn = (problem: string, effective: Effective): ReadonlyArray<string> =>
  [...problem.matchAll(NAMED)].flatMap(([, table, key]) =>
    key === undefined
      ? [...effective.keys()].filter((name) =>
        name.startsWith(`${table}.`) && !name.slice(table!.length + 1).includes(".")
      )
      : [`${table}.${key}`]
  )

/** Adds to a problem the position in the file of the first key that it names and that is set there. */
export const withSource = (problem: string, effective: Effective): string => {
  const sources = new Set([...effective.values()].map(({ source }) => source))
  if ([...sources].some((source) => problem.startsWith(`${source}: `))) return problem
  const named = keysIn(problem, effective).filter((name) => KEYS.has(name)).map((name) => effective.get(name))
  const source = named.find((given) => given?.origin === "file")?.source
  return source === undefined ? problem : `${source}: ${problem}`
}
