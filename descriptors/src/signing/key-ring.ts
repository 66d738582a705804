import { bytesEqual } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import { schnorr, secp256k1 } from "@noble/curves/secp256k1.js"
import type { SecretKey } from "../descriptor/key-text.ts"
import { scriptHashScript, witnessKeyHashScript, witnessScriptHashScript } from "../descriptor/scripts.ts"
import { hexOf } from "@lockstep/protocol/hex.ts"

/** Keys and scripts to satisfy inputs with. */
export interface KeyRing {
  readonly keyOf: (publicKey: Uint8Array) => SecretKey | undefined
  readonly keyWithHash: (hash: Uint8Array) => SecretKey | undefined
  readonly keyWithX: (x: Uint8Array) => SecretKey | undefined
  /** The script behind an output script of a script hash, of either kind. */
  readonly scriptBehind: (output: Uint8Array) => Uint8Array | undefined
  /** Has a script known, and what it becomes as a witness program. */
  readonly addScript: (script: Uint8Array) => void
}

export const keyRing = (keys: ReadonlyArray<SecretKey>, crypto: Crypto): KeyRing => {
  const scripts = new Map<string, Uint8Array>()
  const addOne = (script: Uint8Array): void => {
    scripts.set(hexOf(scriptHashScript(script, crypto)), script)
    scripts.set(hexOf(witnessScriptHashScript(script, crypto)), script)
  }
  for (const { compressed, publicKey } of keys) if (compressed) addOne(witnessKeyHashScript(publicKey, crypto))
  return {
    keyOf: (publicKey) => keys.find((key) => bytesEqual(key.publicKey, publicKey)),
    keyWithHash: (hash) => keys.find((key) => bytesEqual(crypto.hash160(key.publicKey), hash)),
    keyWithX: (x) => keys.find((key) => bytesEqual(key.publicKey.subarray(1, 33), x)),
    scriptBehind: (output) => scripts.get(hexOf(output)),
    addScript: (script) => {
      addOne(script)
      addOne(witnessScriptHashScript(script, crypto))
    }
  }
}

const SIGHASH_DEFAULT = 0
const SIGHASH_ALL = 1

/** In a signature in DER, where r begins. */
const R_AT = 4

/** An r of at most 32 bytes, so that signatures are never longer than need be. */
const hasShortR = (signature: Uint8Array): boolean => signature[R_AT - 1]! <= 32

/** A signature with its hash type; other nonces are tried until r is short. */
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
