/** Reads the bytes of a file in order. Every read throws {@link Truncated} at the end of the file. */
export interface ByteReader {
  readonly bytes: (count: number) => Uint8Array
  readonly uint8: () => number
  readonly uint16be: () => number
  readonly uint32: () => number
  readonly int32: () => number
  readonly int64: () => bigint
  /** Reads a compact size of any value, minimal or not. */
  readonly compact: () => bigint
  /** Returns the number of bytes read. */
  readonly offset: () => number
}

/** Thrown if the file ends too early. */
export class Truncated extends Error {}

export const byteReader = (given: Uint8Array): ByteReader => {
  const view = new DataView(given.buffer, given.byteOffset, given.byteLength)
  let at = 0
  const advance = (count: number): number => {
    if (count > given.length - at) throw new Truncated("AutoFile::read: end of file: iostream error")
    at += count
    return at - count
  }
  const uint8 = (): number => view.getUint8(advance(1))
  const compact = (): bigint => {
    const first = uint8()
    if (first < 253) return BigInt(first)
    if (first === 253) return BigInt(view.getUint16(advance(2), true))
    return first === 254 ? BigInt(view.getUint32(advance(4), true)) : view.getBigUint64(advance(8), true)
  }
  return {
    bytes: (count) => {
      const start = advance(count)
      return given.slice(start, start + count)
    },
    uint8,
    uint16be: () => view.getUint16(advance(2)),
    uint32: () => view.getUint32(advance(4), true),
    int32: () => view.getInt32(advance(4), true),
    int64: () => view.getBigInt64(advance(8), true),
    compact,
    offset: () => at
  }
}

const sized = (count: number, write: (view: DataView) => void): Uint8Array => {
  const bytes = new Uint8Array(count)
  write(new DataView(bytes.buffer))
  return bytes
}

/** Encodes numbers for these files, little-endian unless the name says otherwise. */
export const writtenNumber = {
  uint16be: (value: number): Uint8Array => sized(2, (view) => view.setUint16(0, value)),
  int32: (value: number): Uint8Array => sized(4, (view) => view.setInt32(0, value, true)),
  int64: (value: bigint): Uint8Array => sized(8, (view) => view.setBigInt64(0, value, true)),
  compact: (value: bigint): Uint8Array => {
    if (value < 253n) return Uint8Array.of(Number(value))
    if (value <= 0xffffn) return sized(3, (view) => (view.setUint8(0, 253), view.setUint16(1, Number(value), true)))
    return value <= 0xffff_ffffn
      ? sized(5, (view) => (view.setUint8(0, 254), view.setUint32(1, Number(value), true)))
      : sized(9, (view) => (view.setUint8(0, 255), view.setBigUint64(1, value, true)))
  }
}
