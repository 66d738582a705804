/**
 * A position in a serialization that is being read. The first fault is kept. Afterwards every read returns zero or
 * nothing, so a reader checks once per field.
 */
export interface PsbtStream {
  readonly bytes: Uint8Array
  readonly view: DataView
  offset: number
  /** Fault in the words of Bitcoin Core. */
  fault: string | undefined
}

const MAX_SIZE = 0x0200_0000
const NOTHING = new Uint8Array(0)

export const streamOn = (bytes: Uint8Array): PsbtStream => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset: 0,
  fault: undefined
})

/** Records a fault, unless one was recorded before. */
export const fail = (stream: PsbtStream, fault: string): void => {
  stream.fault ??= fault
}

/** Returns the number of unread bytes. */
export const left = ({ bytes, fault, offset }: PsbtStream): number => fault === undefined ? bytes.length - offset : 0

export const takeBytes = (stream: PsbtStream, count: number): Uint8Array => {
  if (stream.fault === undefined && count > left(stream)) fail(stream, "SpanReader::read(): end of data")
  if (stream.fault !== undefined) return NOTHING
  stream.offset += count
  return stream.bytes.subarray(stream.offset - count, stream.offset)
}

const numberAt = (stream: PsbtStream, size: 1 | 2 | 4): number => {
  const at = stream.offset
  if (takeBytes(stream, size).length < size) return 0
  if (size === 1) return stream.bytes[at]!
  return size === 2 ? stream.view.getUint16(at, true) : stream.view.getUint32(at, true)
}

export const takeUint8 = (stream: PsbtStream): number => numberAt(stream, 1)

export const takeUint32 = (stream: PsbtStream): number => numberAt(stream, 4)

export const takeInt64 = (stream: PsbtStream): bigint => {
  const at = stream.offset
  return takeBytes(stream, 8).length < 8 ? 0n : stream.view.getBigInt64(at, true)
}

/** Reads a length in the shortest form, at most 32 MiB. */
export const takeCompactSize = (stream: PsbtStream): number => {
  const first = takeUint8(stream)
  if (first < 253) return first
  const size = first === 253 ? numberAt(stream, 2) : takeUint32(stream)
  const high = first === 255 ? takeUint32(stream) : 0
  if (stream.fault !== undefined) return 0
  if (first === 255 ? high === 0 : size < (first === 253 ? 253 : 0x10000)) {
    fail(stream, "non-canonical ReadCompactSize()")
  } else if (high > 0 || size > MAX_SIZE) fail(stream, "ReadCompactSize(): size too large")
  return stream.fault === undefined ? size : 0
}

/** Reads bytes after their length. */
export const takeSized = (stream: PsbtStream): Uint8Array => takeBytes(stream, takeCompactSize(stream))

/** Reads a value after its length, which must be exact. */
export const takeExactly = <A>(stream: PsbtStream, read: (stream: PsbtStream) => A): A => {
  const size = takeCompactSize(stream)
  const start = stream.offset
  const value = read(stream)
  if (stream.fault === undefined && stream.offset - start !== size) {
    fail(stream, "Size of value was not the stated size")
  }
  return value
}

/** Requires the key of a field, including its type, to have this size. */
export const holdKeySize = (stream: PsbtStream, key: Uint8Array, size: number, called: string): void => {
  if (key.length !== size) fail(stream, `Size of key was not ${size} for the type ${called}`)
}
