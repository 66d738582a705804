import { parse } from "smol-toml"

const ofJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const ofToml = (text: string): unknown => {
  try {
    const { value, ...others } = parse(`value = ${text}`)
    return Object.keys(others).length === 0 ? value : undefined
  } catch {
    return undefined
  }
}

/** Parses a text that is written as a value in a TOML or JSON file. Returns `undefined` for an invalid one. */
export const writtenValue = (text: string): unknown => ofJson(text) ?? ofToml(text)

const isEnclosed = (text: string, first: string, last: string): boolean =>
  text.length > 1 && text.startsWith(first) && text.endsWith(last)

/** Parses a list in the same way. `[::1]:8333` begins like one. */
export const writtenList = (text: string): ReadonlyArray<unknown> | undefined => {
  if (!isEnclosed(text, "[", "]")) return undefined
  const value = writtenValue(text)
  return Array.isArray(value) ? value : undefined
}

/** Parses a table in the same way. */
export const writtenTable = (text: string): unknown => isEnclosed(text, "{", "}") ? writtenValue(text) : undefined

/** Removes the quotes that a text has in a file. A text without quotes is returned unchanged. */
export const withoutQuotes = (text: string): string => {
  if (!isEnclosed(text, "\"", "\"") && !isEnclosed(text, "'", "'")) return text
  const value = writtenValue(text)
  return typeof value === "string" ? value : text
}
