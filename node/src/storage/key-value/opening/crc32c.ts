const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0x82f63b78 ^ (c >>> 1) : c >>> 1
  return c >>> 0
})

/** Computes CRC-32C (Castagnoli), the checksum of LevelDB's files. */
export const crc32c = (bytes: Uint8Array): number => {
  let c = 0xffffffff
  for (let at = 0; at < bytes.length; at++) c = TABLE[(c ^ bytes[at]!) & 0xff]! ^ (c >>> 8)
  return ~c >>> 0
}

/** Restores a checksum that LevelDB stored rotated and shifted, because checksums over embedded checksums are weak. */
export const unmasked = (stored: number): number => {
  const rotated = (stored - 0xa282ead8) >>> 0
  return ((rotated >>> 17) | (rotated << 15)) >>> 0
}
