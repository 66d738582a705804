/** A number kept as text so that no digit is lost, in amounts, big integers and request ids. */
export class JsonNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A long byte sequence that is written as hexadecimal digits. */
export class JsonBytes {
  readonly bytes: Buffer
  constructor({ buffer, byteLength, byteOffset }: Uint8Array) {
    this.bytes = Buffer.from(buffer, byteOffset, byteLength)
  }

  toString(): string {
    return this.bytes.toString("hex")
  }
}

/** A parsed object. Its members keep the order of the text, including repeated keys. */
export class JsonMembers {
  readonly keys: ReadonlyArray<string>
  readonly values: ReadonlyArray<JsonRead>
  constructor(keys: ReadonlyArray<string>, values: ReadonlyArray<JsonRead>) {
    this.keys = keys
    this.values = values
  }

  /** Returns the first member of that name. */
  get(key: string): JsonRead | undefined {
    return this.values[this.keys.indexOf(key)]
  }
}

/** Result of {@link readJson}. Numbers remain text until a parameter reads them. */
export type JsonRead = null | boolean | string | JsonNumber | ReadonlyArray<JsonRead> | JsonMembers

/**
 * Input of {@link writeJson}. Members that are `undefined` are omitted; a `number` is written as in {@link doubleText}.
 */
export type JsonValue =
  | JsonRead
  | number
  | bigint
  | JsonBytes
  | ReadonlyArray<JsonValue>
  | { readonly [key: string]: JsonValue | undefined }

/** Kinds of values, by the names that error messages use. */
export type JsonKind = "null" | "bool" | "number" | "string" | "array" | "object"

export const jsonKind = (value: JsonRead): JsonKind => {
  if (value === null) return "null"
  if (typeof value === "boolean") return "bool"
  if (typeof value === "string") return "string"
  if (value instanceof JsonNumber) return "number"
  return value instanceof JsonMembers ? "object" : "array"
}
