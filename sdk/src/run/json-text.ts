/** A number by its digits, which a `number` of JavaScript would write otherwise: `0.00001000`. */
export class JsonNumber {
  readonly digits: string

  constructor(digits: string) {
    if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(digits)) throw new Error(`${digits} is no number of JSON`)
    this.digits = digits
  }
}

/** Any value that JSON can write; members that are `undefined` are left out. */
export type JsonValue = null | boolean | number | string | JsonNumber | ReadonlyArray<JsonValue> | {
  readonly [key: string]: JsonValue | undefined
}

/** A value as JSON, numbers by their digits. */
export const jsonText = (value: JsonValue): string => {
  if (value instanceof JsonNumber) return value.digits
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`
  // What JSON does not know is `null` in it, as in a list.
  if (typeof value !== "object" || value === null || "toJSON" in value) return JSON.stringify(value) ?? "null"
  const members = Object.entries(value).flatMap(([name, member]) =>
    member === undefined || typeof member === "function" ? [] : [`${JSON.stringify(name)}:${jsonText(member)}`]
  )
  return `{${members.join(",")}}`
}
