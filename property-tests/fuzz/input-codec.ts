/** JSON for inputs: bytes as `hex:…`, big integers as `int:…`, sets as `{ "set": […] }`; everything else as it is. */
export const encodeInput = (input: unknown): string =>
  JSON.stringify(
    input,
    (_, value: unknown) => {
      if (value instanceof Uint8Array) return `hex:${Buffer.from(value).toString("hex")}`
      if (typeof value === "bigint") return `int:${value}`
      return value instanceof Set ? { set: [...value] } : value
    },
    2
  )

const decodeValue = (_: string, value: unknown): unknown => {
  if (typeof value === "object" && value !== null && "set" in value) return new Set(value.set as Iterable<unknown>)
  if (typeof value !== "string") return value
  if (value.startsWith("hex:")) return Uint8Array.from(Buffer.from(value.slice(4), "hex"))
  return value.startsWith("int:") ? BigInt(value.slice(4)) : value
}

/** The input that {@link encodeInput} wrote. */
export const decodeInput = (json: string): unknown => JSON.parse(json, decodeValue)
