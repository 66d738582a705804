import { Point } from "@noble/secp256k1"
import { join, sha256, tagged, to32, toNumber } from "./bytes.ts"

/** Order of the group. */
export const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
/** Prime of the field. */
export const FIELD = 2n ** 256n - 2n ** 32n - 977n

/** `a` in the range 0 to ORDER − 1. */
export const reduced = (a: bigint): bigint => ((a % ORDER) + ORDER) % ORDER

const power = (base: bigint, exponent: bigint, modulus: bigint): bigint => {
  let result = 1n
  for (let b = base % modulus, e = exponent; e > 0n; e >>= 1n, b = b * b % modulus) {
    if (e & 1n) result = result * b % modulus
  }
  return result
}

/** The inverse modulo the order. */
export const inverse = (a: bigint): bigint => power(reduced(a), ORDER - 2n, ORDER)

/** The secret key that vectors call number `n`. */
export const secretKey = (n: number): bigint => reduced(toNumber(sha256(new TextEncoder().encode(`lockstep key ${n}`))))

/** The point with first coordinate `x` and even second coordinate, or none. */
export const lift = (x: bigint): Point | undefined => {
  const square = (power(x, 3n, FIELD) + 7n) % FIELD
  const root = power(square, (FIELD + 1n) / 4n, FIELD)
  if (x >= FIELD || root * root % FIELD !== square) return undefined
  return Point.fromAffine({ x, y: root % 2n === 0n ? root : FIELD - root })
}

/** A point and the ways to write it as a key. */
export const keyForms = (point: Point) => {
  const { x, y } = point.toAffine()
  const parity = Number(y & 1n)
  const body = join(to32(x), to32(y))
  return {
    xOnly: to32(x),
    parity,
    compressed: join(Uint8Array.of(2 + parity), to32(x)),
    uncompressed: join(Uint8Array.of(4), body),
    hybrid: join(Uint8Array.of(6 + parity), body),
    wrongHybrid: join(Uint8Array.of(7 - parity), body)
  }
}

/** The public key of secret key number `n`, in all its forms. */
export const publicKey = (n: number) => keyForms(Point.BASE.multiply(secretKey(n)))

/** An ECDSA signature as two numbers. */
export interface Ecdsa {
  readonly r: bigint
  readonly s: bigint
}

/** s and n − s, the lower of which policy asks for. */
export const lowered = ({ r, s }: Ecdsa): Ecdsa => ({ r, s: s > ORDER / 2n ? ORDER - s : s })
export const raised = ({ r, s }: Ecdsa): Ecdsa => ({ r, s: s > ORDER / 2n ? s : ORDER - s })

/** Signs with a nonce derived from key and digest; s is low. */
export const signEcdsa = (secret: bigint, digest: Uint8Array): Ecdsa => {
  const nonce = reduced(toNumber(sha256(to32(secret), digest)))
  const r = reduced(Point.BASE.multiply(nonce).toAffine().x)
  return lowered({ r, s: reduced(inverse(nonce) * (toNumber(digest) + r * secret)) })
}

/** The key for which r of `nonce` and `s` sign `digest`: every pair of numbers is a signature by some key. */
export const signerOf = (nonce: Point, s: bigint, digest: Uint8Array): Point => {
  const r = reduced(nonce.toAffine().x)
  const z = reduced(toNumber(digest))
  return nonce.multiply(reduced(s * inverse(r))).add(Point.BASE.multiply(reduced(-z * inverse(r))))
}

/** A digest and the signature of it by `key`, made without its secret. */
export const forged = (key: Point): Ecdsa & { readonly digest: Uint8Array } => {
  const a = 5n
  const b = 7n
  const r = reduced(Point.BASE.multiply(a).add(key.multiply(b)).toAffine().x)
  const s = reduced(r * inverse(b))
  return { r, s, digest: to32(reduced(a * s)) }
}

const derInteger = (value: bigint): Uint8Array => {
  const digits = value.toString(16)
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex")
  const body = bytes[0]! > 0x7f ? join(Uint8Array.of(0), bytes) : bytes
  return join(Uint8Array.of(2, body.length), body)
}

/** Strict DER, without hash type. */
export const der = ({ r, s }: Ecdsa): Uint8Array => {
  const body = join(derInteger(r), derInteger(s))
  return join(Uint8Array.of(0x30, body.length), body)
}

/** Signs by BIP340, with a nonce derived from key and message. */
export const signSchnorr = (secret: bigint, message: Uint8Array): Uint8Array => {
  const { xOnly, parity } = keyForms(Point.BASE.multiply(secret))
  const d = parity === 0 ? secret : ORDER - secret
  const seed = reduced(toNumber(sha256(to32(d), message)))
  const R = keyForms(Point.BASE.multiply(seed))
  const nonce = R.parity === 0 ? seed : ORDER - seed
  const e = reduced(toNumber(tagged("BIP0340/challenge", R.xOnly, xOnly, message)))
  return join(R.xOnly, to32(reduced(nonce + e * d)))
}

/** Output key, its parity and the secret behind it, for an internal key and the root of its scripts. */
export const tweakedKey = (secret: bigint, root: Uint8Array) => {
  const { xOnly, parity } = keyForms(Point.BASE.multiply(secret))
  const even = parity === 0 ? secret : ORDER - secret
  const tweaked = reduced(even + toNumber(tagged("TapTweak", xOnly, root)))
  return { ...keyForms(Point.BASE.multiply(tweaked)), internal: xOnly, secret: tweaked }
}
