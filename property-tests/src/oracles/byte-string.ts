/** One array holding all `parts` in order. */
export const join = (...parts: ReadonlyArray<Uint8Array | ReadonlyArray<number>>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])

export const toHex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")

export const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16))

/** `value` modulo 2^(8·size), least significant byte first, so that negative values come out as two's complement. */
export const littleEndian = (value: number | bigint, size: number): Uint8Array => {
  const modulo = BigInt.asUintN(8 * size, BigInt(value))
  return Uint8Array.from({ length: size }, (_, i) => Number((modulo >> BigInt(8 * i)) & 0xffn))
}

export const fromLittleEndian = (bytes: Uint8Array): bigint =>
  bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n)

export const bigEndian = (value: bigint, size: number): Uint8Array => littleEndian(value, size).reverse()

export const fromBigEndian = (bytes: Uint8Array): bigint =>
  bytes.reduce((value, byte) => value * 256n + BigInt(byte), 0n)

export const ascii = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))
