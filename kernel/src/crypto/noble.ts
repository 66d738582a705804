import { ripemd160, sha1 } from "@noble/hashes/legacy.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { etc, Point, verify } from "@noble/secp256k1"
import type { Crypto } from "./crypto.ts"
import { taggedHashPrefix } from "./tagged-hash.ts"

const { n: ORDER, p: FIELD } = Point.CURVE()
const CHALLENGE_PREFIX = taggedHashPrefix("BIP0340/challenge")
const ECDSA_OPTIONS = { prehash: false, lowS: true } as const

const sha256d = (data: Uint8Array): Uint8Array => sha256(sha256(data))

const sha256dPairs = (pairs: Uint8Array): Uint8Array => {
  const parents = new Uint8Array(pairs.length >> 1)
  for (let at = 0; at < pairs.length; at += 64) parents.set(sha256d(pairs.subarray(at, at + 64)), at >> 1)
  return parents
}

/** Checks the one length for which noble throws; for any other invalid input it returns `false`. */
const ecdsaVerify = (signature: Uint8Array, key: Uint8Array, digest: Uint8Array): boolean =>
  signature.length === 64 && digest.length === 32 && verify(signature, digest, key, ECDSA_OPTIONS)

const powMod = (base: bigint, exponent: bigint, modulus: bigint): bigint => {
  let result = 1n
  let square = base
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}

/**
 * Returns the point with x-coordinate `xOnly` and even y, or `undefined` if it does not exist. Noble's own parser
 * throws for an invalid point. The exponent is (p + 1) / 4, which is a square root because p ≡ 3 (mod 4).
 */
const liftX = (xOnly: Uint8Array): Point | undefined => {
  if (xOnly.length !== 32) return undefined
  const x = etc.bytesToNumberBE(xOnly)
  if (x >= FIELD) return undefined
  const square = (x * x * x + 7n) % FIELD
  const y = powMod(square, (FIELD + 1n) >> 2n, FIELD)
  if ((y * y) % FIELD !== square) return undefined
  return Point.fromAffine({ x, y: (y & 1n) === 0n ? y : FIELD - y })
}

/**
 * BIP340 written out over noble's group arithmetic: noble's own verifier refuses s = 0, which BIP340 allows.
 *
 *     R = s·G − e·P,   R ≠ ∞,   R.y even,   R.x = r
 */
const schnorrVerify = (signature: Uint8Array, key: Uint8Array, message: Uint8Array): boolean => {
  if (signature.length !== 64) return false
  const r = etc.bytesToNumberBE(signature.subarray(0, 32))
  const s = etc.bytesToNumberBE(signature.subarray(32))
  if (r >= FIELD || s >= ORDER) return false
  const point = liftX(key)
  if (point === undefined) return false
  const challenge = sha256(etc.concatBytes(CHALLENGE_PREFIX, signature.subarray(0, 32), key, message))
  const minusE = etc.mod(-etc.bytesToNumberBE(challenge), ORDER)
  const nonce = Point.BASE.multiplyUnsafe(s).add(point.multiplyUnsafe(minusE))
  if (nonce.is0()) return false
  const { x, y } = nonce.toAffine()
  return (y & 1n) === 0n && x === r
}

const taprootTweakMatches = (internal: Uint8Array, tweak: Uint8Array, output: Uint8Array, parity: number): boolean => {
  if (tweak.length !== 32 || output.length !== 32) return false
  const scalar = etc.bytesToNumberBE(tweak)
  if (scalar >= ORDER) return false
  const point = liftX(internal)
  if (point === undefined) return false
  const tweaked = point.add(Point.BASE.multiplyUnsafe(scalar))
  if (tweaked.is0()) return false
  const { x, y } = tweaked.toAffine()
  return Number(y & 1n) === parity && x === etc.bytesToNumberBE(output)
}

/** The portable implementation of the interface: readable and slow. Every other implementation must agree with it. */
export const nobleCrypto: Crypto = {
  sha256,
  sha256d,
  ripemd160,
  sha1,
  hash160: (data) => ripemd160(sha256(data)),
  sha256dPairs,
  ecdsaVerify,
  schnorrVerify,
  taprootTweakMatches
}
