import { JsonMembers, type JsonRead } from "../json/json-value.ts"
import { writeJson } from "../json/write-json.ts"

const isList = (value: JsonRead): value is ReadonlyArray<JsonRead> => Array.isArray(value)

/** Formats JSON as Bitcoin Core's client does: two spaces per level, and empty lists over two lines. */
export const coreJson = (value: JsonRead, indent = ""): string => {
  const inner = `${indent}  `
  const lines = (open: string, texts: ReadonlyArray<string>, close: string): string =>
    `${open}\n${texts.map((text) => inner + text).join(",\n")}${texts.length === 0 ? "" : "\n"}${indent}${close}`
  if (isList(value)) return lines("[", value.map((each) => coreJson(each, inner)), "]")
  if (!(value instanceof JsonMembers)) return writeJson(value)
  return lines("{", value.keys.map((key, at) => `${writeJson(key)}: ${coreJson(value.values[at]!, inner)}`), "}")
}

/** Formats a value within a line: a string without quotation marks. */
export const plainText = (value: JsonRead | undefined): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : writeJson(value)
