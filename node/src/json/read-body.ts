import { JsonMembers, type JsonRead } from "./json-value.ts"
import { readJson } from "./read-json.ts"

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Values of one body: a batch of ten thousand calls has fewer. */
const MOST_VALUES = 100_000

/** The value a body is; none when it is no JSON, or longer than any request. */
export const readBody = (body: Uint8Array): JsonRead | undefined => {
  try {
    return readJson(decoder.decode(body), MOST_VALUES)
  } catch {
    return undefined
  }
}

/** How many values there are in one. */
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
