import { JsonMembers, JsonNumber, type JsonRead } from "./json-value.ts"

/** Maximum nesting of arrays and objects. */
const MAX_DEPTH = 512

/** Maximum length of a number, in characters. No parameter takes a longer one. */
const MAX_NUMBER_LENGTH = 1_000

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/
// Characters that a string must escape: control characters, quotation marks and backslashes.
const NOT_PLAIN = /[^\u0020\u0021\u0023-\u005b\u005d-\uffff]/
const HALF_PAIR = /[\ud800-\udfff]/u

/** A position in a text. Once `broken` is set, results are meaningless. */
interface Reader {
  readonly text: string
  at: number
  depth: number
  /** Number of values that may still follow. */
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

/** Skips `character` and the space after it, and returns true, if it comes next. */
const take = (reader: Reader, character: string): boolean => {
  if (reader.text[reader.at] !== character) return false
  reader.at++
  skipSpace(reader)
  return true
}

/**
 * Returns the position of the unescaped quotation mark that ends the string starting at `start`, or −1 if it has no
 * end.
 */
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
    // A lone surrogate is invalid text.
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

/** Reports whether a character can be part of a number: a digit, sign, point or exponent. */
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
 * Returns the parsed value, or `undefined` if the text is not exactly one value, is nested too deeply, or has more than
 * `most` values. A short text can contain a great many values, which take fifty times its memory.
 */
export const readJson = (text: string, most = Number.POSITIVE_INFINITY): JsonRead | undefined => {
  const reader: Reader = { text, at: 0, depth: 0, left: most, broken: false }
  skipSpace(reader)
  const value = readValue(reader)
  return reader.broken || reader.at !== text.length ? undefined : value
}
