import { compactSizeLength } from "./compact-size.ts"

/**
 * A buffer of known final size that is being filled from the front.
 *
 * It has no DataView: asking a short array for its buffer moves its bytes out of the JavaScript heap. That takes ten
 * times as long as making the array.
 */
export interface Writer {
  readonly bytes: Uint8Array
  offset: number
}

/** A writer for exactly `size` bytes. */
export const writerOf = (size: number): Writer => ({ bytes: new Uint8Array(size), offset: 0 })

/** One byte. */
export const writeUint8 = (writer: Writer, value: number): void => {
  writer.bytes[writer.offset++] = value
}

/** Four bytes, little-endian; negative values in two's complement. */
export const writeUint32 = (writer: Writer, value: number): void => {
  const { bytes, offset } = writer
  bytes[offset] = value
  bytes[offset + 1] = value >>> 8
  bytes[offset + 2] = value >>> 16
  bytes[offset + 3] = value >>> 24
  writer.offset = offset + 4
}

/** Eight bytes, little-endian, two's complement. */
export const writeInt64 = (writer: Writer, value: bigint): void => {
  // Arithmetic on bigints allocates; every amount there can be is a double as well.
  const double = Number(value)
  if (double >= 0 && double <= Number.MAX_SAFE_INTEGER) {
    writeUint32(writer, double)
    writeUint32(writer, double / 0x1_0000_0000)
    return
  }
  writeUint32(writer, Number(BigInt.asUintN(32, value)))
  writeUint32(writer, Number(value >> 32n))
}

/** `bytes` as they are. */
export const writeBytes = (writer: Writer, bytes: Uint8Array): void => {
  writer.bytes.set(bytes, writer.offset)
  writer.offset += bytes.length
}

/** The shortest compact size of `value`. Precondition: 0 ≤ value ≤ 2³² − 1, as every length in memory is. */
export const writeCompactSize = (writer: Writer, value: number): void => {
  const length = compactSizeLength(value)
  if (length === 1) return writeUint8(writer, value)
  if (length === 3) {
    writeUint8(writer, 253)
    writeUint8(writer, value)
    writeUint8(writer, value >>> 8)
    return
  }
  writeUint8(writer, 254)
  writeUint32(writer, value)
}

/** Bytes {@link writeSized} needs for `bytes`. */
export const sizedLength = (bytes: Uint8Array): number => compactSizeLength(bytes.length) + bytes.length

/** Writes `bytes` after their compact size. */
export const writeSized = (writer: Writer, bytes: Uint8Array): void => {
  writeCompactSize(writer, bytes.length)
  writeBytes(writer, bytes)
}
