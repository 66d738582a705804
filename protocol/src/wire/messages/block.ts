import { readBytes } from "@lockstep/kernel/bytes"
import { type Header, headerOf } from "@lockstep/kernel/model"
import type { Codec } from "../codec.ts"
import { isIntact, type PayloadCursor } from "../payload-cursor.ts"

/**
 * A block: its header, and the whole payload. The part after the header is decoded once, when the block is validated.
 * Before that, the header shows whether the block is wanted.
 */
export interface BlockMessage {
  readonly command: "block"
  readonly header: Header
  readonly bytes: Uint8Array
}

const NO_HEADER = headerOf(new Uint8Array(80))

/** Reads the next 80 bytes as a header; a header of zeros if they are missing. */
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
