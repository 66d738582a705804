import { JsonMembers, JsonNumber, type JsonRead } from "./json-value.ts"

/** Arrays and objects inside one another. */
const MAX_DEPTH = 512

/** No parameter takes a longer number. */
const MAX_NUMBER_LENGTH = 1_000

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/
// Whatever a string cannot hold as it is: control characters, quotation marks and backslashes.
const NOT_PLAIN = /[^\u0020\u0021\u0023-\u005b\u005d-\uffff]/
const HALF_PAIR = /[\ud800-\udfff]/u

/** A place in a text. Once `broken`, nothing that is read means anything. */
interface Reader {
  readonly text: string
  at: number
  depth: number
  /** How many values there may be yet. */
  left: number
  broken: boolean
}

const fail = (reader: Reader): null => {
  reader.broken = true
  return null
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

const skipSpace = (reader: Reader): void => {
  while (isSpace(reader.text.charCodeAt(reader.at))) reader.at++
}

/** Steps over `character` and the space behind it, if that is what comes next. */
const take = (reader: Reader, character: string): boolean => {
  if (reader.text[reader.at] !== character) return false
  reader.at++
  skipSpace(reader)
  return true
}

/** Where the string that starts at `start` ends: at a quotation mark that no backslash stands before. None: -1. */
const endOfString = (text: string, start: number): number => {
  let quote = -1
  for (let at = start + 1;;) {
    if (quote < at) quote = text.indexOf("\"", at)
    if (quote < 0) return -1
    const escape = text.slice(at, quote).indexOf("\\")
    if (escape < 0) return quote
    at += escape + 2
  }
}

const unescaped = (quoted: string): string | undefined => {
  try {
    const text = JSON.parse(quoted) as string
    // Half a surrogate pair is no text.
    return HALF_PAIR.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

const readString = (reader: Reader): string => {
  const start = reader.at
  const end = endOfString(reader.text, start)
  if (end < 0) return fail(reader) ?? ""
  reader.at = end + 1
  const plain = reader.text.slice(start + 1, end)
  if (!NOT_PLAIN.test(plain)) return plain
  return unescaped(reader.text.slice(start, reader.at)) ?? fail(reader) ?? ""
}

/** Digits, sign, point and exponent. */
const isNumeral = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2b || code === 0x2e || code === 0x45 || code === 0x65

const readNumber = (reader: Reader): JsonRead => {
  const start = reader.at
  while (isNumeral(reader.text.charCodeAt(reader.at))) reader.at++
  if (reader.at - start > MAX_NUMBER_LENGTH) return fail(reader)
  const text = reader.text.slice(start, reader.at)
  return NUMBER.test(text) ? new JsonNumber(text) : fail(reader)
}

const readWord = (reader: Reader, word: string, value: JsonRead): JsonRead => {
  if (!reader.text.startsWith(word, reader.at)) return fail(reader)
  reader.at += word.length
  return value
}

const readElements = (reader: Reader): JsonRead => {
  const values: Array<JsonRead> = []
  take(reader, "[")
  if (take(reader, "]")) return values
  do values.push(readValue(reader))
  while (!reader.broken && take(reader, ","))
  return take(reader, "]") ? values : fail(reader)
}

const readMembers = (reader: Reader): JsonRead => {
  const keys: Array<string> = []
  const values: Array<JsonRead> = []
  take(reader, "{")
  if (take(reader, "}")) return new JsonMembers(keys, values)
  do {
    if (reader.text[reader.at] !== "\"") return fail(reader)
    keys.push(readString(reader))
    skipSpace(reader)
    if (reader.broken || !take(reader, ":")) return fail(reader)
    values.push(readValue(reader))
  } while (!reader.broken && take(reader, ","))
  return take(reader, "}") ? new JsonMembers(keys, values) : fail(reader)
}

const readNested = (reader: Reader, read: (reader: Reader) => JsonRead): JsonRead => {
  if (reader.depth === MAX_DEPTH) return fail(reader)
  reader.depth++
  const value = read(reader)
  reader.depth--
  return value
}

const readStart = (reader: Reader): JsonRead => {
  switch (reader.text[reader.at]) {
    case "\"":
      return readString(reader)
    case "{":
      return readNested(reader, readMembers)
    case "[":
      return readNested(reader, readElements)
    case "t":
      return readWord(reader, "true", true)
    case "f":
      return readWord(reader, "false", false)
    case "n":
      return readWord(reader, "null", null)
    default:
      return readNumber(reader)
  }
}

const readValue = (reader: Reader): JsonRead => {
  reader.left--
  const value = reader.left < 0 ? fail(reader) : readStart(reader)
  skipSpace(reader)
  return value
}

/**
 * The value that a text is, or none when it is not exactly one value, is nested too deeply, or has more than `most`
 * values in it. A short text can be a great many values, which take fifty times its memory.
 */
export const readJson = (text: string, most = Number.POSITIVE_INFINITY): JsonRead | undefined => {
  const reader: Reader = { text, at: 0, depth: 0, left: most, broken: false }
  skipSpace(reader)
  const value = readValue(reader)
  return reader.broken || reader.at !== text.length ? undefined : value
}
