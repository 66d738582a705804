/** Sign and magnitude, least significant byte first, the top bit of the last byte is the sign. */
export const numberOf = (bytes: Uint8Array): bigint => {
  if (bytes.length === 0) return 0n
  const magnitude = bytes.reduceRight(
    (value, byte, i) => value * 256n + BigInt(i === bytes.length - 1 ? byte & 0x7f : byte),
    0n
  )
  return bytes.at(-1)! >= 0x80 ? -magnitude : magnitude
}

/** The shortest byte string that {@link numberOf} maps to `value`. */
export const bytesOfNumber = (value: bigint): Uint8Array => {
  const bytes: Array<number> = []
  for (let rest = value < 0n ? -value : value; rest > 0n; rest /= 256n) bytes.push(Number(rest % 256n))
  if (bytes.length > 0 && bytes.at(-1)! >= 0x80) bytes.push(0)
  if (value < 0n) bytes[bytes.length - 1]! += 0x80
  return Uint8Array.from(bytes)
}

/** Whether no shorter byte string means the same number. */
export const isMinimal = (bytes: Uint8Array): boolean => bytesOfNumber(numberOf(bytes)).length === bytes.length

/** The number an opcode reads, or what is wrong: too long, or not minimal where that is asked for. */
export const operand = (bytes: Uint8Array, maxSize: number, minimal: boolean): bigint | string => {
  if (bytes.length > maxSize) return "SCR-007 SCRIPTNUM"
  return minimal && !isMinimal(bytes) ? "POL-005 SCRIPTNUM" : numberOf(bytes)
}

/** Every byte string but zeros and negative zero. */
export const truth = (bytes: Uint8Array): boolean => numberOf(bytes) !== 0n
