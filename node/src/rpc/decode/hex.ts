/** Bytes in hexadecimal digits. */
export const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")

/** A hash as people write it: wire order backwards. */
export const displayHash = (hash: Uint8Array): string => Buffer.from(hash).reverse().toString("hex")

/** A 256-bit number in 64 digits. */
export const hexOfNumber = (number: bigint): string => number.toString(16).padStart(64, "0")
