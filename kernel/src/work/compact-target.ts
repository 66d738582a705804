/** All ones in 256 bits. */
const MAX_UINT256 = (1n << 256n) - 1n

/**
 * The target that `bits` stand for, or none when they are negative, do not fit 256 bits, or are zero.
 *
 *     target = mantissa · 256^(exponent − 3),  mantissa = bits mod 2²³,  exponent = bits div 2²⁴
 *
 * Below exponent 3 the mantissa is shifted right and loses bytes. The sign bit counts only when something is left of the
 * mantissa, as in the library the first client used.
 *
 * @spec WRK-001 #1444cda3
 */
export const expandTarget = (bits: number): bigint | undefined => {
  const exponent = bits >>> 24
  const mantissa = bits & 0x007fffff
  if (mantissa !== 0 && (bits & 0x00800000) !== 0) return undefined
  const target = exponent <= 3
    ? BigInt(mantissa >>> (8 * (3 - exponent)))
    : BigInt(mantissa) << BigInt(8 * (exponent - 3))
  return target === 0n || target > MAX_UINT256 ? undefined : target
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
export const compactTarget = (target: bigint): number => {
  const length = byteLength(target)
  const mantissa = Number(length <= 3 ? target << BigInt(8 * (3 - length)) : target >> BigInt(8 * (length - 3)))
  return (mantissa & 0x00800000) === 0
    ? ((length << 24) | mantissa) >>> 0
    : (((length + 1) << 24) | (mantissa >>> 8)) >>> 0
}
