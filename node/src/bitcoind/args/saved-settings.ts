import * as Result from "effect/Result"
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import type { KnownOptions } from "./option-key.ts"
import type { SettingValue } from "./setting-value.ts"

const WARNING_KEY = "_warning_"

const WARNING =
  "The node wrote this file and writes it anew at every start. What is changed here while it runs may be lost."

/** The keys of an object's text, as often as they stand there. Precondition: the text is that of a JSON object. */
const keysOf = (text: string): ReadonlyArray<string> => {
  const keys: Array<string> = []
  let depth = 0
  let isKey = false
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g)) {
    if (token === "{" || token === "[") {
      depth++
      isKey = depth === 1
    } else if (token === "}" || token === "]") depth--
    else if (token === "," && depth === 1) isKey = true
    else if (token.startsWith("\"") && depth === 1 && isKey) {
      keys.push(JSON.parse(token) as string)
      isKey = false
    }
  }
  return keys
}

export interface SavedSettings {
  readonly values: ReadonlyMap<string, SettingValue>
  readonly warnings: ReadonlyArray<string>
}

const unreadable = (detail: string): Result.Result<never, string> =>
  Result.fail(`Settings file could not be read:\n- ${detail}`)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const INVALID =
  "This may be caused by a crash, power loss, full disk, or storage error, and can be fixed by removing the file, which will reset settings to default values."

/** What `settings.json` says; nothing where it is not there. A failure is Bitcoin Core's message. */
export const readSavedSettings = (path: string, known: KnownOptions): Result.Result<SavedSettings, string> => {
  if (!existsSync(path)) return Result.succeed({ values: new Map(), warnings: [] })
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch {
    return unreadable(`${path}. Please check permissions.`)
  }
  const value = parsed(text)
  if (value === undefined) return unreadable(`Settings file ${path} does not contain valid JSON. ${INVALID}`)
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return unreadable(`Found non-object value ${JSON.stringify(value)} in settings file ${path}`)
  }
  const keys = keysOf(text)
  const repeated = keys.find((key, at) => keys.indexOf(key) !== at)
  if (repeated !== undefined) return unreadable(`Found duplicate key ${repeated} in settings file ${path}`)
  const values = new Map(Object.entries(value as Record<string, SettingValue>))
  values.delete(WARNING_KEY)
  const warnings = [...values.keys()].filter((name) => !known.has(name))
    .map((name) => `Ignoring unknown rw_settings value ${name}`)
  return Result.succeed({ values, warnings })
}

const failed = (detail: string): Result.Result<never, string> =>
  Result.fail(`Settings file could not be written:\n- ${detail}`)

/** Writes the settings as they are; a failure is Bitcoin Core's message. */
export const writeSavedSettings = (path: string, values: SavedSettings["values"]): Result.Result<void, string> => {
  const draft = `${path}.tmp`
  try {
    writeFileSync(
      draft,
      `${JSON.stringify({ [WARNING_KEY]: WARNING, ...Object.fromEntries(values) }, undefined, 4)}\n`,
      {
        mode: 0o600
      }
    )
  } catch {
    return failed(`Error: Unable to open settings file ${draft} for writing`)
  }
  try {
    renameSync(draft, path)
  } catch {
    return failed(`Failed renaming settings file ${draft} to ${path}`)
  }
  return Result.succeed(undefined)
}
