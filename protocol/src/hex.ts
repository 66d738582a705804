/** Formats bytes as hexadecimal digits. */
export const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")

/** Formats a hash in display order, the reverse of wire order. */
export const displayHash = (hash: Uint8Array): string => Buffer.from(hash).reverse().toString("hex")

/** Formats a 256-bit number as 64 digits. */
export const hexOfNumber = (number: bigint): string => number.toString(16).padStart(64, "0")

const HEX = /^(?:[0-9a-fA-F]{2})*$/

/** Decodes hexadecimal digits. Returns `undefined` if they are invalid. */
export const bytesOfDigits = (digits: string): Uint8Array | undefined => {
  if (digits.length % 2 !== 0) return undefined
  const bytes = Buffer.from(digits, "hex")
  // Decoding stops at the first invalid digit.
  return bytes.length * 2 === digits.length && (bytes.length > 0 || HEX.test(digits)) ? bytes : undefined
}

const HASH = /^[0-9a-fA-F]{64}$/

/** Decodes a hash in display order to wire order. Returns `undefined` if the digits are no hash. */
export const hashOfText = (digits: string): Uint8Array | undefined =>
  HASH.test(digits) ? new Uint8Array(Buffer.from(digits, "hex").reverse()) : undefined
