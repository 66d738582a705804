import {
  type Cursor,
  cursorOn,
  type MalformedBytes,
  readBytes,
  readCompactSize,
  readUint32
} from "@lockstep/kernel/bytes"
import { compactSizeFault } from "@lockstep/protocol/psbt/compact-size-fault.ts"
import type { MerkleBlock } from "@lockstep/protocol/merkle-block/partial-merkle-tree.ts"

const HEADER_SIZE = 80

/** Returns Bitcoin Core's message for an invalid proof. */
const problemOf = (cursor: Cursor, { detail: { offset }, rule }: MalformedBytes): string => {
  const fault = rule === "SER-001" ? compactSizeFault(cursor, offset) : undefined
  return `${fault ?? "DataStream::read(): end of data"}: iostream error`
}

/** Reads a proof and ignores bytes after it. Returns a message if it is invalid. */
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
