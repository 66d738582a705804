/** Encodes a hash as the key of a map: hex in wire order. */
export const hashKey = (hash: Uint8Array): string =>
  Buffer.from(hash.buffer, hash.byteOffset, hash.length).toString("hex")

/** Returns the hash of a key, in memory of its own. */
export const keyedHash = (key: string): Uint8Array => Uint8Array.from(Buffer.from(key, "hex"))
