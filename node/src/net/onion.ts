import { createHash } from "node:crypto"
import { base32nopad } from "@scure/base"

const VERSION = 3
const SUFFIX = ".onion"
const DIGITS = /^[a-z2-7]{56}$/

/** Returns the two bytes that detect a mistyped address (rend-spec-v3, section 6). */
const checksum = (key: Uint8Array): Uint8Array =>
  createHash("sha3-256").update(".onion checksum").update(key).update(Uint8Array.of(VERSION)).digest().subarray(0, 2)

/** Returns the name of an onion service with this key of 32 bytes. */
export const onionText = (key: Uint8Array): string => {
  const bytes = new Uint8Array(35)
  bytes.set(key)
  bytes.set(checksum(key), 32)
  bytes[34] = VERSION
  return base32nopad.encode(bytes).toLowerCase() + SUFFIX
}

/** Returns the key of an onion service by its name, or `undefined` for an invalid version 3 name. */
export const parseOnion = (text: string): Uint8Array | undefined => {
  const name = text.toLowerCase()
  const digits = name.slice(0, -SUFFIX.length)
  if (!name.endsWith(SUFFIX) || !DIGITS.test(digits)) return undefined
  const key = base32nopad.decode(digits.toUpperCase()).slice(0, 32)
  return onionText(key) === name ? key : undefined
}
