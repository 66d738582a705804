/** Bytes in hexadecimal digits. */
export const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")

/** A hash as people write it: wire order backwards. */
export const displayHash = (hash: Uint8Array): string => Buffer.from(hash).reverse().toString("hex")

/** A 256-bit number in 64 digits. */
export const hexOfNumber = (number: bigint): string => number.toString(16).padStart(64, "0")

const HEX = /^(?:[0-9a-fA-F]{2})*$/

/** The bytes that hexadecimal digits stand for; none when they are no such digits. */
export const bytesOfDigits = (digits: string): Uint8Array | undefined => {
  if (digits.length % 2 !== 0) return undefined
  const bytes = Buffer.from(digits, "hex")
  // Decoding stops at the first character that is no digit.
  return bytes.length * 2 === digits.length && (bytes.length > 0 || HEX.test(digits)) ? bytes : undefined
}

const HASH = /^[0-9a-fA-F]{64}$/

/** The hash, in wire order, that people write with these digits; `undefined` if they are no hash. */
export const hashOfText = (digits: string): Uint8Array | undefined =>
  HASH.test(digits) ? new Uint8Array(Buffer.from(digits, "hex").reverse()) : undefined
