import type { Field } from "../../../formats/field.ts"

/** Difficulty bits, written as people are shown them: eight hexadecimal digits. */
export const bitsOf = (field: Field): number =>
  /^[0-9a-f]{8}$/.test(field.text)
    ? Number.parseInt(field.text, 16)
    : field.fail("expected bits as eight hexadecimal digits")

/** The digits that {@link bitsOf} reads. */
export const bitsText = (bits: number): string => bits.toString(16).padStart(8, "0")

/** A number of any size: digits, or hexadecimal digits behind `0x`. */
export const numberOf = (field: Field): bigint =>
  typeof field.raw === "string" && /^0x[0-9a-f]+$/.test(field.raw) ? BigInt(field.raw) : field.bigint

/** The work of a block with `bits`, zero where they are no target. */
export const workOf = (bits: number): bigint => {
  const target = BigInt(bits % 2 ** 23) * 256n ** BigInt(bits >>> 24) / 256n ** 3n
  const sign = Math.floor(bits / 2 ** 23) % 2
  return sign === 1 || target === 0n || target >= 2n ** 256n ? 0n : 2n ** 256n / (target + 1n)
}

/** A target as hexadecimal digits behind `0x`. */
export const targetText = (target: bigint | undefined): string | null =>
  target === undefined ? null : `0x${target.toString(16)}`
