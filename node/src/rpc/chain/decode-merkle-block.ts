import {
  type Cursor,
  cursorOn,
  encodeCompactSize,
  type MalformedBytes,
  readBytes,
  readCompactSize,
  readUint32
} from "@lockstep/kernel/bytes"
import type { MerkleBlock } from "@lockstep/protocol/merkle-block/partial-merkle-tree.ts"

const HEADER_SIZE = 80

const LENGTH_READERS: Readonly<Record<number, (view: DataView, at: number) => number>> = {
  0xfd: (view, at) => view.getUint16(at, true),
  0xfe: (view, at) => view.getUint32(at, true),
  0xff: (view, at) => Number(view.getBigUint64(at, true))
}

/** What other software says of bytes that are no proof. */
const problemOf = ({ bytes, view }: Cursor, { detail: { offset }, rule }: MalformedBytes): string => {
  const prefix = bytes[offset]!
  const read = rule === "SER-001" ? LENGTH_READERS[prefix] : undefined
  if (read === undefined) return "DataStream::read(): end of data: iostream error"
  const isShortest = encodeCompactSize(Math.min(read(view, offset + 1), Number.MAX_SAFE_INTEGER))[0] === prefix
  return `${isShortest ? "ReadCompactSize(): size too large" : "non-canonical ReadCompactSize()"}: iostream error`
}

/** Reads a proof; what stands behind it does not matter. A text says why there is none. */
export const decodeMerkleBlock = (bytes: Uint8Array): MerkleBlock | string => {
  const cursor = cursorOn(bytes)
  const header = readBytes(cursor, HEADER_SIZE)
  const transactions = readUint32(cursor)
  const hashes: Array<Uint8Array> = []
  for (let left = readCompactSize(cursor); left > 0 && cursor.broken === undefined; left--) {
    hashes.push(readBytes(cursor, 32))
  }
  const bits = readBytes(cursor, readCompactSize(cursor))
  return cursor.broken === undefined ? { header, transactions, hashes, bits } : problemOf(cursor, cursor.broken)
}
