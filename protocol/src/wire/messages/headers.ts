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
import { isIntact, type PayloadCursor, readCount } from "../payload-cursor.ts"

/**
 * Consecutive headers, each the parent of the next one if the sender is honest. The count of transactions after each is
 * read and ignored: no node uses it, and Bitcoin Core accepts any.
 */
export interface HeadersMessage {
  readonly command: "headers"
  readonly headers: ReadonlyArray<Header>
}

/** Bytes of a header in this message: a count of transactions follows, which honest senders set to zero. */
const ENTRY_SIZE = 81

const readHeaders = (cursor: PayloadCursor, count: number): ReadonlyArray<Header> => {
  const headers: Array<Header> = []
  for (let index = 0; index < count; index++) {
    const bytes = readBytes(cursor, 80)
    readCompactSize(cursor)
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
