/** The bytes of a number that is not negative in a script's own form: lowest byte first, the highest bit is the sign. */
const bytesOf = (number: number): ReadonlyArray<number> => {
  const bytes: Array<number> = []
  for (let rest = number; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256)
  if ((bytes.at(-1) ?? 0) >= 0x80) bytes.push(0)
  return bytes
}

const OP_1 = 0x51

/** The instruction that pushes a number. */
export const pushNumber = (number: number): Uint8Array => {
  if (number === 0) return Uint8Array.of(0)
  if (number <= 16) return Uint8Array.of(OP_1 + number - 1)
  const bytes = bytesOf(number)
  return Uint8Array.of(bytes.length, ...bytes)
}

/** Bytes of that instruction. */
export const scriptNumberSize = (number: number): number => pushNumber(number).length
