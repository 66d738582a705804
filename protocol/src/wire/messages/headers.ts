import {
  compactSizeLength,
  readBytes,
  readCompactSize,
  writeBytes,
  writeCompactSize,
  writerOf,
  writeUint8
} from "@lockstep/kernel/bytes"
import { type Header, headerOf } from "@lockstep/kernel/model"
import type { Codec } from "../codec.ts"
import { isIntact, type PayloadCursor, readCount, refuse } from "../payload-cursor.ts"

/** Headers one after another, each the parent of the next where the sender is honest. */
export interface HeadersMessage {
  readonly command: "headers"
  readonly headers: ReadonlyArray<Header>
}

/** Bytes of a header here: a count of transactions follows, always zero. */
const ENTRY_SIZE = 81

const readHeaders = (cursor: PayloadCursor, count: number): ReadonlyArray<Header> => {
  const headers: Array<Header> = []
  for (let index = 0; index < count; index++) {
    const bytes = readBytes(cursor, 80)
    if (readCompactSize(cursor) !== 0) refuse(cursor, { _tag: "HeaderWithTransactions", index })
    if (!isIntact(cursor)) return headers
    headers.push(headerOf(bytes))
  }
  return headers
}

export const headers: Codec<HeadersMessage> = {
  read: (cursor, limits) => ({
    command: "headers",
    headers: readHeaders(cursor, readCount(cursor, "headers", limits.headers))
  }),
  write: (message) => {
    const count = message.headers.length
    const writer = writerOf(compactSizeLength(count) + count * ENTRY_SIZE)
    writeCompactSize(writer, count)
    for (const { bytes } of message.headers) {
      writeBytes(writer, bytes)
      writeUint8(writer, 0)
    }
    return writer.bytes
  }
}
