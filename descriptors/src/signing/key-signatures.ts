import { schnorr, secp256k1 } from "@noble/curves/secp256k1.js"
import type { SecretKey } from "../descriptor/key-text.ts"

const SIGHASH_DEFAULT = 0
const SIGHASH_ALL = 1

/** Position of r in a DER signature. */
const R_AT = 4

/** Reports whether r has at most 32 bytes, so that signatures have the minimal length. */
const hasShortR = (signature: Uint8Array): boolean => signature[R_AT - 1]! <= 32

/** Returns a signature with its hash type. Tries other nonces until r is short. */
export const ecdsaSignature = (digest: Uint8Array, { secret }: SecretKey, hashType: number): Uint8Array => {
  let signature = secp256k1.sign(digest, secret, { prehash: false, format: "der" })
  for (let tries = 1; !hasShortR(signature); tries++) {
    const extraEntropy = new Uint8Array(32)
    new DataView(extraEntropy.buffer).setUint32(0, tries, true)
    signature = secp256k1.sign(digest, secret, { prehash: false, format: "der", extraEntropy })
  }
  return Uint8Array.of(...signature, hashType === SIGHASH_DEFAULT ? SIGHASH_ALL : hashType)
}

export const schnorrSignature = (digest: Uint8Array, { secret }: SecretKey, hashType: number): Uint8Array => {
  const signature = schnorr.sign(digest, secret, new Uint8Array(32))
  return hashType === SIGHASH_DEFAULT ? signature : Uint8Array.of(...signature, hashType)
}
