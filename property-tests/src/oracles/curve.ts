import { fromBigEndian } from "./byte-string.ts"

/** secp256k1: y² = x³ + 7 over the field of p, base point of prime order n (SEC 2, §2.4.1). */
export const FIELD_PRIME = 0xffffffff_ffffffff_ffffffff_ffffffff_ffffffff_ffffffff_fffffffe_fffffc2fn
export const GROUP_ORDER = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n
export const BASE: Point = {
  x: 0x79be667e_f9dcbbac_55a06295_ce870b07_029bfcdb_2dce28d9_59f2815b_16f81798n,
  y: 0x483ada77_26a3c465_5da4fbfc_0e1108a8_fd17b448_a6855419_9c47d08f_fb10d4b8n
}

/** An affine point; undefined is infinity. */
export interface Point {
  readonly x: bigint
  readonly y: bigint
}

/** The representative of `value` from 0 up. */
export const modulo = (value: bigint, modulus: bigint): bigint => {
  const rest = value % modulus
  return rest < 0n ? rest + modulus : rest
}

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n
  for (const bit of exponent.toString(2)) {
    result = (result * result) % FIELD_PRIME
    if (bit === "1") result = (result * base) % FIELD_PRIME
  }
  return result
}

/** The inverse by Euclid's algorithm. Precondition: `value` is not a multiple of `modulus`, which is prime. */
export const inverse = (value: bigint, modulus: bigint): bigint => {
  let [r0, r1, t0, t1] = [modulus, modulo(value, modulus), 0n, 1n]
  while (r1 !== 0n) {
    const quotient = r0 / r1
    ;[r0, r1, t0, t1] = [r1, r0 - quotient * r1, t1, t0 - quotient * t1]
  }
  return modulo(t0, modulus)
}

const isOnCurve = ({ x, y }: Point): boolean => modulo(y * y - x * x * x - 7n, FIELD_PRIME) === 0n

/** A point as X/Z², Y/Z³: sums without division. Z = 0 is infinity. */
type Jacobian = readonly [x: bigint, y: bigint, z: bigint]
const INFINITY: Jacobian = [1n, 1n, 0n]

const doubled = ([x, y, z]: Jacobian): Jacobian => {
  if (z === 0n || y === 0n) return INFINITY
  const s = (4n * x * y * y) % FIELD_PRIME
  const m = (3n * x * x) % FIELD_PRIME
  const x3 = modulo(m * m - 2n * s, FIELD_PRIME)
  return [x3, modulo(m * (s - x3) - 8n * y * y * y * y, FIELD_PRIME), (2n * y * z) % FIELD_PRIME]
}

const sumWithAffine = (a: Jacobian, b: Point): Jacobian => {
  const [x, y, z] = a
  if (z === 0n) return [b.x, b.y, 1n]
  const u = (b.x * z * z) % FIELD_PRIME
  const s = (b.y * z * z * z) % FIELD_PRIME
  const h = modulo(u - x, FIELD_PRIME)
  const r = modulo(s - y, FIELD_PRIME)
  if (h === 0n) return r === 0n ? doubled(a) : INFINITY
  const x3 = modulo(r * r - h * h * h - 2n * x * h * h, FIELD_PRIME)
  return [x3, modulo(r * (x * h * h - x3) - y * h * h * h, FIELD_PRIME), (h * z) % FIELD_PRIME]
}

const affine = ([x, y, z]: Jacobian): Point | undefined => {
  if (z === 0n) return undefined
  const i = inverse(z, FIELD_PRIME)
  return { x: (x * i * i) % FIELD_PRIME, y: (((y * i * i) % FIELD_PRIME) * i) % FIELD_PRIME }
}

export const sum = (a: Point | undefined, b: Point | undefined): Point | undefined => {
  if (a === undefined) return b
  return b === undefined ? a : affine(sumWithAffine([a.x, a.y, 1n], b))
}

export const negated = (point: Point): Point => ({ x: point.x, y: modulo(-point.y, FIELD_PRIME) })

/** a·P + b·Q, both scalars read bit by bit from the top. */
export const combination = (a: bigint, p: Point, b: bigint, q: Point): Point | undefined => {
  const both = sum(p, q)
  let result = INFINITY
  for (let i = 255n; i >= 0n; i--) {
    result = doubled(result)
    const takesP = (a >> i) & 1n
    const takesQ = (b >> i) & 1n
    if (takesP && takesQ) {
      if (both !== undefined) result = sumWithAffine(result, both)
    } else if (takesP) result = sumWithAffine(result, p)
    else if (takesQ) result = sumWithAffine(result, q)
  }
  return affine(result)
}

export const multiple = (scalar: bigint, point: Point): Point | undefined => combination(scalar, point, 0n, BASE)

/** The point with this x and a y of this parity (0 or 1), or undefined when x is no coordinate of the curve. */
export const liftX = (x: bigint, parity: 0n | 1n): Point | undefined => {
  if (x >= FIELD_PRIME) return undefined
  const y = power(modulo(x * x * x + 7n, FIELD_PRIME), (FIELD_PRIME + 1n) / 4n)
  if (!isOnCurve({ x, y })) return undefined
  return y % 2n === parity ? { x, y } : negated({ x, y })
}

/** A public key as the network reads it: compressed, uncompressed, or hybrid with the parity of its prefix. */
export const pointOfKey = (key: Uint8Array): Point | undefined => {
  const prefix = key[0]
  const x = fromBigEndian(key.subarray(1, 33))
  if (key.length === 33 && (prefix === 2 || prefix === 3)) return liftX(x, prefix === 2 ? 0n : 1n)
  if (key.length !== 65 || (prefix !== 4 && prefix !== 6 && prefix !== 7)) return undefined
  const y = fromBigEndian(key.subarray(33))
  if (x >= FIELD_PRIME || y >= FIELD_PRIME || !isOnCurve({ x, y })) return undefined
  if (prefix !== 4 && y % 2n !== BigInt(prefix - 6)) return undefined
  return { x, y }
}
