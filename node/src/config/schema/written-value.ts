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

/** What a text stands for that is written as a value in a TOML or JSON file; none when it is neither. */
export const writtenValue = (text: string): unknown => ofJson(text) ?? ofToml(text)

const isEnclosed = (text: string, first: string, last: string): boolean =>
  text.length > 1 && text.startsWith(first) && text.endsWith(last)

/** The same for a list. `[::1]:8333` begins like one. */
export const writtenList = (text: string): ReadonlyArray<unknown> | undefined => {
  if (!isEnclosed(text, "[", "]")) return undefined
  const value = writtenValue(text)
  return Array.isArray(value) ? value : undefined
}

/** The same for a table. */
export const writtenTable = (text: string): unknown => isEnclosed(text, "{", "}") ? writtenValue(text) : undefined

/** A text without the quotes that it has in a file; one without them is taken as it is. */
export const withoutQuotes = (text: string): string => {
  if (!isEnclosed(text, "\"", "\"") && !isEnclosed(text, "'", "'")) return text
  const value = writtenValue(text)
  return typeof value === "string" ? value : text
}
