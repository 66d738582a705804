import { fromBigEndian } from "./byte-string.ts"
import {
  BASE,
  combination,
  GROUP_ORDER,
  inverse,
  liftX,
  modulo,
  multiple,
  negated,
  type Point,
  pointOfKey,
  sum
} from "./curve.ts"
import { parseLax } from "./der.ts"
import { taggedHash } from "./hash.ts"

/** SEC 1 §4.1.4 on r ‖ s; high s is as good as low s. */
export const ecdsaVerifies = (rs: Uint8Array, key: Point, digest: Uint8Array): boolean => {
  const r = fromBigEndian(rs.subarray(0, 32))
  const s = fromBigEndian(rs.subarray(32))
  if (r === 0n || s === 0n || r >= GROUP_ORDER || s >= GROUP_ORDER) return false
  const w = inverse(s, GROUP_ORDER)
  const z = fromBigEndian(digest)
  const point = combination(modulo(z * w, GROUP_ORDER), BASE, modulo(r * w, GROUP_ORDER), key)
  return point !== undefined && modulo(point.x, GROUP_ORDER) === r
}

/** The check of a signature without hash type byte: what cannot be read is false. */
export const laxEcdsaVerifies = (der: Uint8Array, key: Uint8Array, digest: Uint8Array): boolean => {
  const point = pointOfKey(key)
  const rs = parseLax(der)
  return point !== undefined && rs !== undefined && ecdsaVerifies(rs, point, digest)
}

/** BIP340 verification. */
export const schnorrVerifies = (signature: Uint8Array, key: Uint8Array, message: Uint8Array): boolean => {
  if (signature.length !== 64 || key.length !== 32) return false
  const point = liftX(fromBigEndian(key), 0n)
  const r = fromBigEndian(signature.subarray(0, 32))
  const s = fromBigEndian(signature.subarray(32))
  // r at or above the field prime is no x coordinate, so the comparison below refuses it.
  if (point === undefined || s >= GROUP_ORDER) return false
  const e = modulo(fromBigEndian(taggedHash("BIP0340/challenge", signature.subarray(0, 32), key, message)), GROUP_ORDER)
  const nonce = combination(s, BASE, e, negated(point))
  return nonce !== undefined && nonce.y % 2n === 0n && nonce.x === r
}

/** BIP341: whether `output` with `parity` is `internal` plus tweak·G. */
export const tweakMatches = (internal: Uint8Array, tweak: Uint8Array, output: Uint8Array, parity: number): boolean => {
  const t = fromBigEndian(tweak)
  const point = liftX(fromBigEndian(internal), 0n)
  if (t >= GROUP_ORDER || point === undefined) return false
  const tweaked = sum(point, multiple(t, BASE))
  return tweaked !== undefined && tweaked.x === fromBigEndian(output) && tweaked.y % 2n === BigInt(parity)
}
