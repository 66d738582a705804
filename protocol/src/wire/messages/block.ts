import { readBytes } from "@lockstep/kernel/bytes/cursor.ts"
import { type Header, headerOf } from "@lockstep/kernel/model/header.ts"
import type { Codec } from "../codec.ts"
import { isIntact, type PayloadCursor } from "../payload-cursor.ts"

/**
 * A block: its header, and all of the payload. What stands behind the header is left to whoever judges the block, so that it
 * is decoded once and where it is judged; before that the header tells whether anybody wants it.
 */
export interface BlockMessage {
  readonly command: "block"
  readonly header: Header
  readonly bytes: Uint8Array
}

const NO_HEADER = headerOf(new Uint8Array(80))

/** The next 80 bytes as a header; a header of zeros when they are not there. */
export const readHeader = (cursor: PayloadCursor): Header => {
  const bytes = readBytes(cursor, 80)
  return isIntact(cursor) ? headerOf(bytes) : NO_HEADER
}

export const block: Codec<BlockMessage> = {
  read: (cursor) => {
    const header = readHeader(cursor)
    readBytes(cursor, cursor.bytes.length - cursor.offset)
    return { command: "block", header, bytes: cursor.bytes }
  },
  write: ({ bytes }) => bytes
}
