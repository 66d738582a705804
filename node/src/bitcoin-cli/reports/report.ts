import { JsonMembers, JsonNumber, type JsonRead } from "../../json/json-value.ts"
import type { Reply } from "../call-node.ts"

/** Returns a member of an object, or null if it is missing. */
export const member = (value: JsonRead | undefined, ...path: ReadonlyArray<string>): JsonRead => {
  let found: JsonRead = value ?? null
  for (const name of path) found = found instanceof JsonMembers ? found.get(name) ?? null : null
  return found
}

export const reportedList = (value: JsonRead): ReadonlyArray<JsonRead> =>
  Array.isArray(value) ? value as ReadonlyArray<JsonRead> : []

/** Returns a number, or the fallback if the value is no number. */
export const numberIn = (value: JsonRead, fallback = 0): number =>
  value instanceof JsonNumber ? Number(value.text) : fallback

export const succeeded = (result: JsonRead): Reply => ({ result, error: null })
