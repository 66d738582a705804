import { createHash } from "node:crypto"
import type { Field } from "../../../formats/field.ts"

const HASH_SIZE = 32

/** SHA-256 of SHA-256, by the machine's own library: what a case leaves out must not come from the code it judges. */
export const sha256d = (bytes: Uint8Array): Uint8Array =>
  new Uint8Array(createHash("sha256").update(createHash("sha256").update(bytes).digest()).digest())

/**
 * A hash or id: 32 bytes in wire order, one byte that stands for 32 of it, or `{"display": …}` with the digits that
 * people are shown, last byte first.
 */
export const hashOf = (field: Field): Uint8Array => {
  if (typeof field.raw !== "string" && !Array.isArray(field.raw)) return field.get("display").displayBytes
  const bytes = field.bytes
  if (bytes.length === 1) return new Uint8Array(HASH_SIZE).fill(bytes[0]!)
  return bytes.length === HASH_SIZE ? bytes : field.fail("expected 32 bytes, or one that stands for 32 of it")
}
