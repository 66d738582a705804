/** A value of a network as JSON has it: bytes as hex, numbers without bound as text. */
export const valuesOf = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex")
  if (typeof value === "bigint") return `${value}n`
  if (Array.isArray(value)) return value.map(valuesOf)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => each === undefined ? [] : [[key, valuesOf(each)]])
  )
}
