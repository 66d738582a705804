import type { Field } from "../formats/field.ts"

const countOf = (count: Field): number => count.integer >= 0 ? count.integer : count.fail("expected how many bytes")

const partBytes = (part: Field): Uint8Array => {
  if (typeof part.raw === "string") return part.bytes
  if (typeof part.raw === "number") return new Uint8Array(countOf(part))
  const { bytes } = part.at(1)
  if (bytes.length !== 1) part.at(1).fail("expected one byte to repeat")
  return new Uint8Array(countOf(part.at(0))).fill(bytes[0]!)
}

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/**
 * How to get the bytes of a row: digits, runs of bytes, or those of an earlier row. Runs are written out only when
 * asked for.
 */
export const rowBytes = (row: Field, earlier: ReadonlyMap<number, () => Uint8Array>): () => Uint8Array => {
  const ref = row.find("ref")
  if (ref !== undefined) return earlier.get(ref.integer) ?? ref.fail("names no earlier row with bytes")
  const runs = row.find("rle")
  if (runs === undefined) {
    const digits = row.get("hex")
    if (typeof digits.raw !== "string") digits.fail("expected hexadecimal bytes")
    return () => digits.bytes
  }
  return () => joined(runs.items.map(partBytes))
}
