const HEX = /^(?:[0-9a-fA-F]{2})*$/

/** Whether `text` is an even number of hexadecimal digits. */
export const isHex = (text: string): boolean => HEX.test(text)

/**
 * Bytes of a string that {@link isHex} accepts. The answer owns its buffer: views of Node's shared pool would alias.
 */
export const bytesOf = (hex: string): Uint8Array => {
  const bytes = new Uint8Array(hex.length >> 1)
  Buffer.from(bytes.buffer).write(hex, "hex")
  return bytes
}

/** Lower-case hexadecimal digits of `bytes`. */
export const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")

/** Hexadecimal digits in the order hashes are shown to people: last byte first. */
export const displayHexOf = (bytes: Uint8Array): string => hexOf(Uint8Array.from(bytes).reverse())
