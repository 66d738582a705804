import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type CatalogueTable, FILE_TABLES, KEYS, REQUIRED_KEYS } from "../catalogue.ts"
import { NOTHING_GIVEN, partRefused, problemFound, type Reading, readingOf, valueGiven } from "../given/given.ts"
import { describeValue, judgeValue } from "../given/judge-value.ts"
import { NOT_BUILT_TABLES } from "../not-built.ts"
import { moduleEntry } from "../schema/other-tables.ts"
import type { ParsedFile } from "./parse-file.ts"
import { aboutUnknownKey } from "./unknown-key.ts"

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)

const placeOf = (file: ParsedFile, name: string): string => {
  const line = file.lineOf(name)
  return line === undefined ? file.path : `${file.path}:${line}`
}

const isModuleEntry = Schema.is(moduleEntry.schema)

const judgeUnknown = (file: ParsedFile, table: string, name: string, value: unknown): Reading => {
  const source = placeOf(file, name)
  if (table === "modules" && isModuleEntry(value)) return valueGiven({ key: name, value, origin: "file", source })
  if (table === "modules") {
    const instead = `for a module, expected ${moduleEntry.expects}, found ${describeValue(value, false)}`
    return problemFound(`${source}: ${aboutUnknownKey(table, name)}; ${instead}`)
  }
  const part = table === "" && Object.hasOwn(NOT_BUILT_TABLES, name) ? NOT_BUILT_TABLES[name] : undefined
  if (part === undefined) return problemFound(`${source}: ${aboutUnknownKey(table, name)}`)
  const switchedOff = isTable(value) &&
    Object.entries(value).every(([key, setting]) => key === "enabled" && setting === false)
  return switchedOff ? NOTHING_GIVEN : partRefused(`${source}: [${name}]: ${part} is not in this build; leave it out`)
}

const judgeEntry = (file: ParsedFile, table: string, own: string, value: unknown): Reading => {
  const name = table === "" ? own : `${table}.${own}`
  const inner = FILE_TABLES.get(name)
  if (inner !== undefined) {
    if (isTable(value)) return judgeTable(file, inner, value)
    return problemFound(`${placeOf(file, name)}: [${name}]: expected a table, found ${describeValue(value, true)}`)
  }
  const key = KEYS.get(name)
  if (key === undefined || !key.inFile) return judgeUnknown(file, table, name, value)
  const source = placeOf(file, name)
  const judged = judgeValue(key, value)
  if (Result.isFailure(judged)) return problemFound(`${source}: ${key.shown}: ${judged.failure}`)
  return valueGiven({ key: name, value: judged.success, origin: "file", source })
}

/** Maximum number of keys of one table that are checked. More are no typing errors, and too many to report one by one. */
const MOST_KEYS = 200

const judgeTable = (file: ParsedFile, table: CatalogueTable, content: Readonly<Record<string, unknown>>): Reading => {
  const entries = Object.entries(content)
  const readings = entries.slice(0, MOST_KEYS).map(([own, value]) => judgeEntry(file, table.name, own, value))
  if (entries.length <= MOST_KEYS) return readingOf(readings)
  const where = table.name === "" ? "the top level" : `[${table.name}]`
  const problem = `${file.path}: ${where} has ${entries.length} keys, and no more than ${MOST_KEYS} are looked at`
  return readingOf([...readings, problemFound(problem)])
}

const missing = (file: ParsedFile): Reading =>
  readingOf(
    REQUIRED_KEYS.filter(({ name }) => !Object.hasOwn(file.content, name)).map(({ facts, name }) =>
      problemFound(
        `${file.path}: ${name} is missing. It has no default in a file: add ${name} = ${
          JSON.stringify(facts.fallback)
        } ` +
          "above the first table"
      )
    )
  )

/** Judges a file key by key. */
export const judgeFile = (file: ParsedFile): Reading =>
  readingOf([judgeTable(file, FILE_TABLES.get("")!, file.content), missing(file)])
