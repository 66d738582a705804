import { JsonMembers, type JsonRead } from "./json-value.ts"
import { readJson } from "./read-json.ts"

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Maximum number of values in one body. A batch of ten thousand calls has fewer. */
const MOST_VALUES = 100_000

/** Returns the parsed body, or `undefined` if it is not JSON or has too many values. */
export const readBody = (body: Uint8Array): JsonRead | undefined => {
  try {
    return readJson(decoder.decode(body), MOST_VALUES)
  } catch {
    return undefined
  }
}

/** Returns the number of values in a parsed body. */
export const valuesIn = (value: JsonRead | undefined): number => {
  const inner = value instanceof JsonMembers
    ? value.values
    : Array.isArray(value)
    ? value as ReadonlyArray<JsonRead>
    : []
  let count = 1
  for (const each of inner) count += valuesIn(each)
  return count
}
