/** A number by its digits, which JavaScript would format differently: `0.00001000`. */
export class JsonNumber {
  readonly digits: string

  constructor(digits: string) {
    if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(digits)) throw new Error(`${digits} is no number of JSON`)
    this.digits = digits
  }
}

/** Any value that JSON can represent; members that are `undefined` are omitted. */
export type JsonValue = null | boolean | number | string | JsonNumber | ReadonlyArray<JsonValue> | {
  readonly [key: string]: JsonValue | undefined
}

/** Formats a value as JSON, numbers by their digits. */
export const jsonText = (value: JsonValue): string => {
  if (value instanceof JsonNumber) return value.digits
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`
  // Values that JSON lacks are formatted as `null`, as in a list.
  if (typeof value !== "object" || value === null || "toJSON" in value) return JSON.stringify(value) ?? "null"
  const members = Object.entries(value).flatMap(([name, member]) =>
    member === undefined || typeof member === "function" ? [] : [`${JSON.stringify(name)}:${jsonText(member)}`]
  )
  return `{${members.join(",")}}`
}
