import { JsonMembers, type JsonRead } from "../rpc/json/json-value.ts"
import { writeJson } from "../rpc/json/write-json.ts"

const isList = (value: JsonRead): value is ReadonlyArray<JsonRead> => Array.isArray(value)

/** JSON as Bitcoin Core's client prints it: two spaces a level, and also empty lists over two lines. */
export const coreJson = (value: JsonRead, indent = ""): string => {
  const inner = `${indent}  `
  const lines = (open: string, texts: ReadonlyArray<string>, close: string): string =>
    `${open}\n${texts.map((text) => inner + text).join(",\n")}${texts.length === 0 ? "" : "\n"}${indent}${close}`
  if (isList(value)) return lines("[", value.map((each) => coreJson(each, inner)), "]")
  if (!(value instanceof JsonMembers)) return writeJson(value)
  return lines("{", value.keys.map((key, at) => `${writeJson(key)}: ${coreJson(value.values[at]!, inner)}`), "}")
}

/** The text of a value where it is shown in a line: that of a string without quotation marks. */
export const plainText = (value: JsonRead | undefined): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : writeJson(value)
