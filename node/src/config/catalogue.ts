import type * as Schema from "effect/Schema"
import { aboutOf, keyFactsOf, type KeyFacts } from "./schema/key.ts"
import { NodeFile } from "./schema/node-file.ts"
import { OPTION_KEYS } from "./schema/option-keys.ts"

/** A key as the rest of the configuration sees it. */
export interface CatalogueKey {
  /** Name such as `storage.dbcache_mb`. */
  readonly name: string
  /** Form in messages and documents, such as `[storage].dbcache_mb`. */
  readonly shown: string
  readonly facts: KeyFacts
  readonly schema: Schema.Codec<unknown, unknown>
  /** True if a file may set it. */
  readonly inFile: boolean
}

/** A table with the names of its direct members. */
export interface CatalogueTable {
  /** Name such as `storage.pruning`; empty for the top level. */
  readonly name: string
  readonly about: string
  readonly members: ReadonlyArray<string>
}

/** Returns `[storage].dbcache_mb` for `storage.dbcache_mb`. */
export const shownKey = (name: string): string => {
  const end = name.lastIndexOf(".")
  return end < 0 ? name : `[${name.slice(0, end)}].${name.slice(end + 1)}`
}

type Fields = Readonly<Record<string, Schema.Constraint>>

interface Nested {
  readonly fields?: Fields
  readonly schema?: Nested
}

const fieldsOf = (field: Schema.Constraint): Fields | undefined => {
  let at: Nested | undefined = field as Nested
  while (at !== undefined && at.fields === undefined) at = at.schema
  return at?.fields
}

const keys: Array<CatalogueKey> = []
const tables: Array<CatalogueTable> = []

const collect = (prefix: string, about: string, fields: Fields, inFile: boolean): void => {
  tables.push({ name: prefix, about, members: Object.keys(fields) })
  const inner: Array<readonly [string, Schema.Constraint]> = []
  for (const [name, field] of Object.entries(fields)) {
    const full = prefix === "" ? name : `${prefix}.${name}`
    const facts = keyFactsOf(field)
    const schema = ((field as Nested).schema ?? field) as unknown as Schema.Codec<unknown, unknown>
    if (facts === undefined) inner.push([full, field])
    else keys.push({ name: full, shown: shownKey(full), facts, schema, inFile })
  }
  for (const [full, field] of inner) collect(full, aboutOf(field), fieldsOf(field) ?? {}, inFile)
}

collect("", "", NodeFile.fields, true)

/** Every key a file may have, table by table. */
export const FILE_KEYS: ReadonlyArray<CatalogueKey> = [...keys]

/** Every table of a file, top level first. */
export const FILE_TABLES: ReadonlyMap<string, CatalogueTable> = new Map(tables.map((found) => [found.name, found]))

keys.length = 0
collect("", "", OPTION_KEYS, false)

/** Every setting that only the environment and the command line have. */
export const OPTION_ONLY_KEYS: ReadonlyArray<CatalogueKey> = [...keys]

export const KEYS: ReadonlyMap<string, CatalogueKey> = new Map(
  [...FILE_KEYS, ...OPTION_ONLY_KEYS].map((found) => [found.name, found])
)

/** Returns the key with this name. Precondition: it exists. */
export const keyCalled = (name: string): CatalogueKey => KEYS.get(name)!

/** Keys that a file must have. */
export const REQUIRED_KEYS: ReadonlyArray<CatalogueKey> = FILE_KEYS.filter(({ name }) =>
  name === "transport_preference"
)
