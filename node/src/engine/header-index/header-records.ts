/** Sizes in bytes of a header and of the hash behind it. */
const HEADER = 80
export const RECORD_BYTES = HEADER + 32
const SHIFT = 12
const RECORDS = 1 << SHIFT

interface Chunk {
  readonly bytes: Uint8Array
  readonly view: DataView
}

/** Headers and their hashes, by index. They never move, so views of them stay valid. */
export interface HeaderRecords {
  readonly chunks: Array<Chunk>
}

export const headerRecords = (): HeaderRecords => ({ chunks: [] })

const chunkOf = (records: HeaderRecords, index: number): Chunk => records.chunks[index >> SHIFT]!

/** Offset of the record with this index in its chunk. */
export const recordOffset = (index: number): number => (index & (RECORDS - 1)) * RECORD_BYTES

/** Returns the chunk that holds a record. */
export const recordChunk = chunkOf

/** Writes a record. Precondition: `index` is the next one, or was written before. */
export const writeRecord = (records: HeaderRecords, index: number, header: Uint8Array, hash: Uint8Array): void => {
  if (index >> SHIFT === records.chunks.length) {
    const bytes = new Uint8Array(RECORDS * RECORD_BYTES)
    records.chunks.push({ bytes, view: new DataView(bytes.buffer) })
  }
  const { bytes } = chunkOf(records, index)
  const at = recordOffset(index)
  bytes.set(header, at)
  bytes.set(hash, at + HEADER)
}

/** The 80 bytes of a header. */
export const headerBytes = (records: HeaderRecords, index: number): Uint8Array => {
  const at = recordOffset(index)
  return chunkOf(records, index).bytes.subarray(at, at + HEADER)
}

/** The hash of a header, in wire order. */
export const hashBytes = (records: HeaderRecords, index: number): Uint8Array => {
  const at = recordOffset(index) + HEADER
  return chunkOf(records, index).bytes.subarray(at, at + 32)
}

/** Returns a header followed by its hash. */
export const recordAt = (records: HeaderRecords, index: number): Uint8Array => {
  const at = recordOffset(index)
  return chunkOf(records, index).bytes.subarray(at, at + RECORD_BYTES)
}
