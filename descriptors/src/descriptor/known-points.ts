import type { Crypto } from "@lockstep/kernel/crypto"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { isHybridKey, isPublicKey } from "./key-text.ts"

const COMPRESSED = 33
const UNCOMPRESSED = 4
const NO_TWEAK = new Uint8Array(32)

/**
 * Reports whether 33 bytes are a point, by tweaking it with zero. Native libraries do this in a fraction of the time
 * that computing the root takes here.
 */
const isCompressedPoint = (key: Uint8Array, crypto: Crypto): boolean => {
  if (key[0] !== 2 && key[0] !== 3) return false
  const x = key.subarray(1)
  return crypto.taprootTweakMatches === nobleCrypto.taprootTweakMatches
    ? isPublicKey(key)
    : crypto.taprootTweakMatches(x, NO_TWEAK, x, 0)
}

/** Reports whether bytes are a public key in one of its three forms. A hybrid key also states the parity of y. */
const isPoint = (key: Uint8Array, crypto: Crypto): boolean => {
  if (key.length === COMPRESSED) return isCompressedPoint(key, crypto)
  if (!isHybridKey(key)) return isPublicKey(key)
  return (key[0]! & 1) === (key[64]! & 1) && isPublicKey(Uint8Array.of(UNCOMPRESSED, ...key.subarray(1)))
}

/**
 * Returns a check of public keys that verifies each key once, however often it occurs. The same few keys occur in many
 * fields of a transaction.
 */
export const knownPoints = (crypto: Crypto): (key: Uint8Array) => boolean => {
  const known = new Map<string, boolean>()
  return (key) => {
    const name = Buffer.from(key.buffer, key.byteOffset, key.length).toString("latin1")
    const before = known.get(name)
    if (before !== undefined) return before
    const found = isPoint(key, crypto)
    known.set(name, found)
    return found
  }
}
