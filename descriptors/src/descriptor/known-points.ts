import type { Crypto } from "@lockstep/kernel/crypto"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { isHybridKey, isPublicKey } from "./key-text.ts"

const COMPRESSED = 33
const UNCOMPRESSED = 4
const NO_TWEAK = new Uint8Array(32)

/**
 * Whether 33 bytes are a point: one tweaked by nothing is itself. Native libraries say so in a fraction of the time
 * that finding the root takes here.
 */
const isCompressedPoint = (key: Uint8Array, crypto: Crypto): boolean => {
  if (key[0] !== 2 && key[0] !== 3) return false
  const x = key.subarray(1)
  return crypto.taprootTweakMatches === nobleCrypto.taprootTweakMatches
    ? isPublicKey(key)
    : crypto.taprootTweakMatches(x, NO_TWEAK, x, 0)
}

/** Whether bytes are a public key in one of its three forms: a hybrid one says the parity of y as well. */
const isPoint = (key: Uint8Array, crypto: Crypto): boolean => {
  if (key.length === COMPRESSED) return isCompressedPoint(key, crypto)
  if (!isHybridKey(key)) return isPublicKey(key)
  return (key[0]! & 1) === (key[64]! & 1) && isPublicKey(Uint8Array.of(UNCOMPRESSED, ...key.subarray(1)))
}

/** Public keys that are looked at once, however often they come: the same few stand in many fields of a transaction. */
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
