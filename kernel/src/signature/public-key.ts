import type { Bytes } from "../quantities.ts"

/**
 * Returns the form of an ECDSA public key that a provider accepts, or `undefined`: 33 bytes from 02 or 03, 65 bytes
 * from 04, and hybrid ones. Hybrid keys, from 06 and 07, are uncompressed keys that repeat the parity of y in their
 * first byte.
 *
 * A hybrid key whose byte has the wrong parity is invalid. The provider decides whether the point is on the curve.
 *
 * @spec SIG-003 #f50da64b
 */
export const ecdsaPublicKey = (key: Bytes): Uint8Array | undefined => {
  const form = key[0]
  if (key.length === 33) return form === 2 || form === 3 ? key : undefined
  if (key.length !== 65) return undefined
  if (form === 4) return key
  if (form !== 6 && form !== 7) return undefined
  if ((key[64]! & 1) !== (form & 1)) return undefined
  // A Node.js Buffer's slice() is a view: a copy must not depend on which kind of array came in.
  const uncompressed = new Uint8Array(key)
  uncompressed[0] = 4
  return uncompressed
}
