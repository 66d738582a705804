type Atom = string | number | bigint | boolean | null | undefined

/** What a value looks like in JSON, more or less. */
export type Plain = Atom | ReadonlyArray<Plain> | { readonly [key: string]: Plain }

/** Bytes as hex, so that a difference can be read and compared quickly. */
export const plain = (value: unknown): Plain => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex")
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
  }
  return value as Plain
}
