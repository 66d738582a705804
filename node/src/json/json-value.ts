/** A number by its text, so that no digit is lost: amounts, big integers, and whatever a caller sent as its id. */
export class JsonNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Very many bytes, which are written in hexadecimal digits. */
export class JsonBytes {
  readonly bytes: Buffer
  constructor({ buffer, byteLength, byteOffset }: Uint8Array) {
    this.bytes = Buffer.from(buffer, byteOffset, byteLength)
  }

  toString(): string {
    return this.bytes.toString("hex")
  }
}

/** An object that was read: members in the order of the text, repeated keys and all. */
export class JsonMembers {
  readonly keys: ReadonlyArray<string>
  readonly values: ReadonlyArray<JsonRead>
  constructor(keys: ReadonlyArray<string>, values: ReadonlyArray<JsonRead>) {
    this.keys = keys
    this.values = values
  }

  /** The first member of that name. */
  get(key: string): JsonRead | undefined {
    return this.values[this.keys.indexOf(key)]
  }
}

/** What {@link readJson} answers. Numbers stay text until a parameter reads them. */
export type JsonRead = null | boolean | string | JsonNumber | ReadonlyArray<JsonRead> | JsonMembers

/**
 * What {@link writeJson} takes. Members that are `undefined` are left out; a `number` is written as {@link doubleText}
 * does.
 */
export type JsonValue =
  | JsonRead
  | number
  | bigint
  | JsonBytes
  | ReadonlyArray<JsonValue>
  | { readonly [key: string]: JsonValue | undefined }

/** Kinds of values under the names that error messages use. */
export type JsonKind = "null" | "bool" | "number" | "string" | "array" | "object"

export const jsonKind = (value: JsonRead): JsonKind => {
  if (value === null) return "null"
  if (typeof value === "boolean") return "bool"
  if (typeof value === "string") return "string"
  if (value instanceof JsonNumber) return "number"
  return value instanceof JsonMembers ? "object" : "array"
}
