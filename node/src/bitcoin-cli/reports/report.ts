import { JsonMembers, JsonNumber, type JsonRead } from "../../rpc/json/json-value.ts"
import type { Reply } from "../call-node.ts"

/** A member of an object; null where there is none. */
export const member = (value: JsonRead | undefined, ...path: ReadonlyArray<string>): JsonRead => {
  let found: JsonRead = value ?? null
  for (const name of path) found = found instanceof JsonMembers ? found.get(name) ?? null : null
  return found
}

export const reportedList = (value: JsonRead): ReadonlyArray<JsonRead> =>
  Array.isArray(value) ? value as ReadonlyArray<JsonRead> : []

/** A number; where there is none, what stands for it. */
export const numberIn = (value: JsonRead, fallback = 0): number =>
  value instanceof JsonNumber ? Number(value.text) : fallback

export const succeeded = (result: JsonRead): Reply => ({ result, error: null })
