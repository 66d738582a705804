/** A hash as people write it: hex digits, last byte first. */
export const displayHash = (hash: Uint8Array): string =>
  Buffer.from(Uint8Array.from(hash).reverse().buffer).toString("hex")
