import { nobleCrypto } from "@lockstep/kernel/noble"
import { taggedHashPrefix } from "@lockstep/kernel/crypto"
import secp256k1 from "secp256k1"
import * as tiny from "tiny-secp256k1"

export const FIELD = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn
export const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
export const GENERATOR_X = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n

/** Numbers at which range checks of r, s, x and tweaks change their answer. */
export const BOUNDARIES: ReadonlyArray<bigint> = [
  0n,
  1n,
  2n,
  (ORDER - 1n) / 2n,
  (ORDER + 1n) / 2n,
  ORDER - 1n,
  ORDER,
  ORDER + 1n,
  FIELD - ORDER,
  FIELD - 1n,
  FIELD,
  FIELD + 1n,
  2n ** 256n - 1n
]

export const bytes32 = (value: bigint): Uint8Array =>
  Uint8Array.from(Buffer.from(value.toString(16).padStart(64, "0"), "hex"))

export const number = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString("hex")}`)

export const joined = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => Uint8Array.from(Buffer.concat(parts))

export const changedAt = (bytes: Uint8Array, at: number, value: number): Uint8Array => {
  const changed = Uint8Array.from(bytes)
  changed[at] = value
  return changed
}

/** A secret key from any 32 bytes. */
export const secretFrom = (seed: Uint8Array): Uint8Array => bytes32(number(seed) % (ORDER - 1n) + 1n)

export const ecdsaKey = (secret: Uint8Array, compressed = true): Uint8Array =>
  secp256k1.publicKeyCreate(secret, compressed)

export const ecdsaSign = (secret: Uint8Array, digest: Uint8Array): Uint8Array =>
  secp256k1.ecdsaSign(digest, secret).signature

/** The key for which `signature` is right, when the nonce point has x = r + order·(recovery >> 1). */
export const ecdsaRecover = (signature: Uint8Array, recovery: number, digest: Uint8Array): Uint8Array =>
  secp256k1.ecdsaRecover(signature, recovery, digest, true)

/**
 * A signature with its digest that hold for a compressed key whose secret is unknown: with the nonce point K + a·G,
 * r = s = x(K + a·G) and the digest a·r fit together.
 */
export const ecdsaForged = (
  key: Uint8Array,
  a: bigint
): { readonly signature: Uint8Array; readonly digest: Uint8Array } => {
  const nonce = tiny.pointAddScalar(key, bytes32(a), true)!
  const r = number(nonce.subarray(1)) % ORDER
  const s = r > ORDER / 2n ? ORDER - r : r
  return { signature: joined(bytes32(r), bytes32(s)), digest: bytes32((a * r) % ORDER) }
}

export const schnorrKey = (secret: Uint8Array): Uint8Array => tiny.xOnlyPointFromScalar(secret)

export const schnorrSign = (secret: Uint8Array, message: Uint8Array): Uint8Array => tiny.signSchnorr(message, secret)

export const schnorrChallenge = (r: Uint8Array, key: Uint8Array, message: Uint8Array): bigint =>
  number(nobleCrypto.sha256(joined(taggedHashPrefix("BIP0340/challenge"), r, key, message))) % ORDER

export interface TweakedKey {
  readonly output: Uint8Array
  readonly parity: number
}

/** Undefined when the sum is infinity. */
export const tweaked = (internal: Uint8Array, tweak: Uint8Array): TweakedKey | undefined => {
  const result = tiny.xOnlyPointAddTweak(internal, tweak)
  return result === null ? undefined : { output: result.xOnlyPubkey, parity: result.parity }
}
