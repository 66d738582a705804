/** A hash as the key of a map: hex in wire order. */
export const hashKey = (hash: Uint8Array): string =>
  Buffer.from(hash.buffer, hash.byteOffset, hash.length).toString("hex")

/** The hash that a key stands for, in memory of its own. */
export const keyedHash = (key: string): Uint8Array => Uint8Array.from(Buffer.from(key, "hex"))
