/** Encodes a number as 32 bytes, little-endian. */
export const targetBytes = (target: bigint): Uint8Array =>
  Uint8Array.from(Buffer.from(target.toString(16).padStart(64, "0"), "hex")).toReversed()

/** Decodes a number from 32 bytes, little-endian. */
export const targetIn = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes.toReversed()).toString("hex")}`)
