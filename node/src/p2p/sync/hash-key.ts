/** A hash as the key of a map: hex in wire order. */
export const hashKey = (hash: Uint8Array): string =>
  Buffer.from(hash.buffer, hash.byteOffset, hash.length).toString("hex")
