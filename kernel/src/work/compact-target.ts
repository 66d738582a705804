import type { Bits, Target } from "../quantities.ts"

/** The first number that takes more than 256 bits. */
const TOO_LARGE = 1n << 256n

const SIGN = 0x00800000

/**
 * Returns the target that `bits` encode, or `undefined` if they are negative, do not fit 256 bits, or are zero.
 *
 *     target = mantissa · 256^(exponent − 3),  mantissa = bits mod 2²³,  exponent = bits div 2²⁴
 *
 * Below exponent 3 the mantissa is shifted right, as a negative shift does, and loses bytes.
 *
 * @spec WRK-001 #1444cda3
 */
export const expandTarget = (bits: Bits): bigint | undefined => {
  if ((bits & SIGN) !== 0) return undefined
  const target = BigInt(bits & 0x007fffff) << BigInt(8 * ((bits >>> 24) - 3))
  return target === 0n || target >= TOO_LARGE ? undefined : target
}

const byteLength = (value: bigint): number => {
  let length = 0
  for (let rest = value; rest > 0n; rest >>= 8n) length++
  return length
}

/**
 * The shortest `bits` for a target, which keep its three highest bytes. Precondition: 0 ≤ target < 2²⁵⁶.
 *
 * A mantissa that would set the sign bit moves down a byte.
 *
 * @spec WRK-002 #dc7d22ed
 */
export const compactTarget = (target: Target): Bits => {
  const length = byteLength(target)
  const mantissa = Number(target >> BigInt(8 * (length - 3)))
  return (mantissa & SIGN) === 0 ? (length << 24) | mantissa : ((length + 1) << 24) | (mantissa >>> 8)
}
