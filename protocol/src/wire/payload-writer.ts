import { encodeCompactSize, writeBytes, writeInt64, type Writer, writeUint8 } from "@lockstep/kernel/bytes"

/** Writes two bytes, big-endian, the order of ports. */
export const writePort = (writer: Writer, port: number): void => {
  writeUint8(writer, port >>> 8)
  writeUint8(writer, port)
}

/** Encodes any 64-bit number as a compact size. */
export const encodeCompactUint64 = (value: bigint): Uint8Array => {
  if (value <= 0xffff_ffffn) return encodeCompactSize(Number(value))
  const writer = { bytes: new Uint8Array(9), offset: 0 }
  writeUint8(writer, 255)
  writeInt64(writer, value)
  return writer.bytes
}

/** Writes consecutive hashes. */
export const writeHashes = (writer: Writer, hashes: ReadonlyArray<Uint8Array>): void => {
  for (const hash of hashes) writeBytes(writer, hash)
}
