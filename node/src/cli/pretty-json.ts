import { JsonMembers, type JsonRead } from "../json/json-value.ts"
import { writeJson } from "../json/write-json.ts"

const isList = (value: JsonRead): value is ReadonlyArray<JsonRead> => Array.isArray(value)

/** Formats JSON for people, two spaces a level. Numbers keep their original digits. */
export const prettyJson = (value: JsonRead, indent = ""): string => {
  const inner = `${indent}  `
  if (isList(value) && value.length > 0) {
    return `[\n${value.map((each) => inner + prettyJson(each, inner)).join(",\n")}\n${indent}]`
  }
  if (value instanceof JsonMembers && value.keys.length > 0) {
    const members = value.keys.map((key, i) => `${inner}${writeJson(key)}: ${prettyJson(value.values[i]!, inner)}`)
    return `{\n${members.join(",\n")}\n${indent}}`
  }
  return writeJson(value)
}
