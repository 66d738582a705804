import { KEYS } from "../catalogue.ts"
import type { Effective } from "../given/effective.ts"

/** `[storage.pruning].mode` or `[storage.pruning]` in a message. */
const NAMED = /\[([\w.-]+)\](?:\.([\w-]+))?/g

/** The keys that a message names, in their order; a table stands for those of its keys that are set. */
const keysIn = (problem: string, effective: Effective): ReadonlyArray<string> =>
  [...problem.matchAll(NAMED)].flatMap(([, table, key]) =>
    key === undefined
      ? [...effective.keys()].filter((name) =>
        name.startsWith(`${table}.`) && !name.slice(table!.length + 1).includes(".")
      )
      : [`${table}.${key}`]
  )

/** A problem between keys, with the place in the file of the first one that it names and that is set there. */
export const withSource = (problem: string, effective: Effective): string => {
  const sources = new Set([...effective.values()].map(({ source }) => source))
  if ([...sources].some((source) => problem.startsWith(`${source}: `))) return problem
  const named = keysIn(problem, effective).filter((name) => KEYS.has(name)).map((name) => effective.get(name))
  const source = named.find((given) => given?.origin === "file")?.source
  return source === undefined ? problem : `${source}: ${problem}`
}
