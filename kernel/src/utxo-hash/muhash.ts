import { chacha20 } from "@noble/ciphers/chacha.js"
import type { Crypto } from "../crypto/crypto.ts"
import type { Hash } from "../quantities.ts"

/** 2³⁰⁷² − 1103717, a prime. */
const MODULUS_OFFSET = 1_103_717n
const BITS = 3072n
const MODULUS = (1n << BITS) - MODULUS_OFFSET
const LOW = (1n << BITS) - 1n
const SIZE = 384

/** A multiset of byte strings as a fraction modulo a prime: elements added multiply above, elements removed below. */
export interface MuHash {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** The empty multiset. */
export const EMPTY_MUHASH: MuHash = { numerator: 1n, denominator: 1n }

/** a mod p for 0 ≤ a < p², by folding the high half: 2³⁰⁷² ≡ 1103717. */
const reduce = (a: bigint): bigint => {
  let rest = (a & LOW) + (a >> BITS) * MODULUS_OFFSET
  rest = (rest & LOW) + (rest >> BITS) * MODULUS_OFFSET
  return rest >= MODULUS ? rest - MODULUS : rest
}

const numberOf = (bytes: Uint8Array): bigint => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, SIZE)
  let hex = "0x"
  for (let at = SIZE - 8; at >= 0; at -= 8) hex += view.getBigUint64(at, true).toString(16).padStart(16, "0")
  return BigInt(hex)
}

const bytesOf = (value: bigint): Uint8Array => {
  const bytes = new Uint8Array(SIZE)
  const view = new DataView(bytes.buffer)
  let rest = value
  for (let at = 0; at < SIZE; at += 8) {
    view.setBigUint64(at, rest & 0xffffffffffffffffn, true)
    rest >>= 64n
  }
  return bytes
}

const NONCE = new Uint8Array(12)
const ZEROS = new Uint8Array(SIZE)

/** The group element of a byte string: ChaCha20 keystream under its SHA-256, as a little-endian number. */
export const muHashElement = (bytes: Uint8Array, crypto: Crypto): bigint =>
  numberOf(chacha20(crypto.sha256(bytes), NONCE, ZEROS)) % MODULUS

/** With `element` added. */
export const muHashInsert = (hash: MuHash, element: bigint): MuHash => ({
  numerator: reduce(hash.numerator * element),
  denominator: hash.denominator
})

/** With `element` removed. */
export const muHashRemove = (hash: MuHash, element: bigint): MuHash => ({
  numerator: hash.numerator,
  denominator: reduce(hash.denominator * element)
})

/** 1/a modulo the prime, by the extended Euclidean algorithm. Precondition: 0 < a < p. */
const inverse = (a: bigint): bigint => {
  let [r, nextR] = [MODULUS, a]
  let [t, nextT] = [0n, 1n]
  while (nextR !== 0n) {
    const quotient = r / nextR
    ;[r, nextR] = [nextR, r - quotient * nextR]
    ;[t, nextT] = [nextT, t - quotient * nextT]
  }
  return t < 0n ? t + MODULUS : t
}

/**
 * The 32-byte digest of a multiset, in wire order: equal multisets have equal digests, whatever the order of changes.
 *
 *     MuHash(S) = SHA256(∏ element(s) mod p)
 *
 * @spec UTX-013 #eca5bc6f
 */
export const muHashDigest = (hash: MuHash, crypto: Crypto): Hash =>
  crypto.sha256(bytesOf(reduce(hash.numerator * inverse(hash.denominator))))
