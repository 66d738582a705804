import { effectiveOf } from "../../../src/config/given/effective.ts"
import { resolveConfig } from "../../../src/config/resolve/resolve-config.ts"

export type Settings = Readonly<Record<string, unknown>>

/** A key, its value, what that changes, and what is set beside it. */
export type KeyRow = readonly [key: string, value: unknown, changes: Settings, beside: Settings]

/** What these values of a file come to. */
export const resolvedFrom = (settings: Settings) =>
  resolveConfig(
    effectiveOf(
      Object.entries(settings).map(([key, value]) => ({ key, value, origin: "file" as const, source: "node.toml" }))
    ),
    {
      machine: { home: "/h", directory: "/d", processors: 4 },
      file: undefined,
      tokens: undefined,
      isCoreDirectory: () => false
    }
  )

/** Values by the way that leads to them; lists are values. */
const waysIn = (value: unknown, way = ""): ReadonlyArray<readonly [string, unknown]> => {
  const table = value instanceof Map ? Object.fromEntries(value) as object : value
  if (typeof table !== "object" || table === null || Array.isArray(table)) return [[way, table]]
  const entries = Object.entries(table)
  if (entries.length === 0) return [[way, {}]]
  return entries.flatMap(([name, each]) => waysIn(each, way === "" ? name : `${way}.${name}`))
}

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => typeof each === "bigint" ? `${each}n` : each) ?? "none"

/** What of the configuration a value of a key changes, but for the names of tables in use. */
export const changedBy = (key: string, value: unknown, beside: Settings): Settings => {
  const [before, after] = [beside, { ...beside, [key]: value }].map((each) =>
    new Map(waysIn(resolvedFrom(each).config))
  )
  const ways = new Set([...before!.keys(), ...after!.keys()])
  ways.delete("sections")
  return Object.fromEntries(
    [...ways].filter((way) => shown(before!.get(way)) !== shown(after!.get(way))).map((way) => [way, after!.get(way)])
  )
}
