import { readBytes } from "@lockstep/kernel/bytes"
import { type Header, headerOf } from "@lockstep/kernel/model"
import type { Codec } from "../codec.ts"
import { isIntact, type PayloadCursor } from "../payload-cursor.ts"

/**
 * A block: its header, and all of the payload. What stands behind the header is decoded once, where the block is
 * validated; before that the header shows whether the block is wanted.
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
