import { JsonBytes, JsonMembers, JsonNumber, type JsonValue } from "./json-value.ts"
import { doubleText } from "./number-text.ts"

const DELETE = /\u007f/g

const writeString = (text: string): string => {
  const written = JSON.stringify(text)
  return text.includes("\u007f") ? written.replace(DELETE, "\\u007f") : written
}

const writeArray = (values: ReadonlyArray<JsonValue>): string => {
  let text = "["
  for (let i = 0; i < values.length; i++) text += (i === 0 ? "" : ",") + writeJson(values[i]!)
  return text + "]"
}

const writeMembers = ({ keys, values }: JsonMembers): string => {
  let text = "{"
  for (let i = 0; i < keys.length; i++) text += `${i === 0 ? "" : ","}${writeString(keys[i]!)}:${writeJson(values[i]!)}`
  return text + "}"
}

const writeObject = (value: { readonly [key: string]: JsonValue | undefined }): string => {
  let text = "{"
  for (const key in value) {
    const member = value[key]
    if (member !== undefined) text += `${text.length === 1 ? "" : ","}${writeString(key)}:${writeJson(member)}`
  }
  return text + "}"
}

const isArray = (value: object): value is ReadonlyArray<JsonValue> => Array.isArray(value)

/** Returns the text of a value without whitespace. Members keep the order in which they were added. */
export const writeJson = (value: JsonValue): string => {
  if (typeof value === "string") return writeString(value)
  if (typeof value === "number") return doubleText(value)
  if (value === null) return "null"
  if (typeof value !== "object") return String(value)
  if (value instanceof JsonNumber) return value.text
  if (value instanceof JsonMembers) return writeMembers(value)
  if (value instanceof JsonBytes) return `"${value.toString()}"`
  return isArray(value) ? writeArray(value) : writeObject(value)
}
