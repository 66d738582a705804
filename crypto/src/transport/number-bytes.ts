/** A number of 32 bytes, big-endian. */
export const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString("hex")}`)

/** The 32 bytes of a number below 2^256, big-endian. */
export const bytesOf = (number: bigint): Uint8Array =>
  new Uint8Array(Buffer.from(number.toString(16).padStart(64, "0"), "hex"))
