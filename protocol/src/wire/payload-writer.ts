import { encodeCompactSize, writeBytes, writeInt64, type Writer, writeUint8 } from "@lockstep/kernel/bytes"

/** Two bytes, big-endian, as ports are written. */
export const writePort = (writer: Writer, port: number): void => {
  writeUint8(writer, port >>> 8)
  writeUint8(writer, port)
}

/** The compact size of any number of 64 bits. */
export const encodeCompactUint64 = (value: bigint): Uint8Array => {
  if (value <= 0xffff_ffffn) return encodeCompactSize(Number(value))
  const writer = { bytes: new Uint8Array(9), offset: 0 }
  writeUint8(writer, 255)
  writeInt64(writer, value)
  return writer.bytes
}

/** All of `hashes`, one after another. */
export const writeHashes = (writer: Writer, hashes: ReadonlyArray<Uint8Array>): void => {
  for (const hash of hashes) writeBytes(writer, hash)
}
