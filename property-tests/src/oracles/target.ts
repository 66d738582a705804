import { bigEndian, fromBigEndian, fromLittleEndian, join } from "./byte-string.ts"

const TWO_256 = 1n << 256n

/** The bytes of a positive number, highest first, none in vain. */
const shortest = (value: bigint): Uint8Array => {
  let size = 0
  while (value >= 256n ** BigInt(size)) size++
  return bigEndian(value, size)
}

/**
 * The target that bits stand for: a size byte, then the three highest bytes of a big-endian number of that size, whose
 * highest bit is a sign. Undefined when negative, zero, or too large for 256 bits.
 */
export const targetOfBits = (bits: number): bigint | undefined => {
  const [size, ...highest] = bigEndian(BigInt(bits), 4)
  const number = join(highest, new Uint8Array(255)).subarray(0, size)
  if (number.length > 0 && number[0]! >= 0x80) return undefined
  const target = fromBigEndian(number)
  return target === 0n || target >= TWO_256 ? undefined : target
}

/**
 * The size and the three highest bytes of a number; one more byte of zeros in front where the first would be a sign.
 */
export const bitsOfTarget = (target: bigint): number => {
  const number = shortest(target)
  const unsigned = number.length > 0 && number[0]! >= 0x80 ? join([0], number) : number
  return Number(fromBigEndian(join([unsigned.length], join(unsigned, [0, 0, 0]).subarray(0, 3))))
}

/** ⌊2²⁵⁶ / (target + 1)⌋ in the form that fits 256 bits: (2²⁵⁶ − target − 1) / (target + 1) + 1. */
export const workOfBits = (bits: number): bigint => {
  const target = targetOfBits(bits)
  return target === undefined ? 0n : (TWO_256 - target - 1n) / (target + 1n) + 1n
}

/** The bits are a target no easier than the limit, and the hash is not above it. */
export const provesWork = (hash: Uint8Array, bits: number, powLimit: bigint): boolean => {
  const target = targetOfBits(bits)
  return target !== undefined && target <= powLimit && fromLittleEndian(hash) <= target
}
