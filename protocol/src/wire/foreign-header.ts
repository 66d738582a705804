import { advance, type Cursor, cursorOn, readCompactSize } from "@lockstep/kernel/bytes"
import type { Command } from "./codecs.ts"

const HEADER_BYTES = 80
/** Bit of the version's last byte that makes the version negative, which BIP65 and earlier rules refuse. */
const SIGN = 0x80

const isForeignAt = ({ bytes, offset }: Cursor): boolean =>
  offset + HEADER_BYTES <= bytes.length && (bytes[offset + 3]! & SIGN) !== 0

const firstAmong = (cursor: Cursor): Uint8Array | undefined => {
  const count = readCompactSize(cursor)
  for (let i = 0; i < count && cursor.broken === undefined; i++) {
    if (isForeignAt(cursor)) return cursor.bytes.subarray(cursor.offset, cursor.offset + HEADER_BYTES)
    advance(cursor, HEADER_BYTES)
    readCompactSize(cursor)
  }
  return undefined
}

/**
 * Returns the first 80 bytes of the first header in a payload whose version has bit 31 set, or `undefined` without such
 * a header. That bit marks headers of another format, such as those of 164 bytes, after which nothing can be read. The
 * payload is one of `headers`, `cmpctblock` or `block`.
 */
export const foreignHeaderIn = (
  command: Extract<Command, "headers" | "cmpctblock" | "block">,
  payload: Uint8Array
): Uint8Array | undefined => {
  const cursor = cursorOn(payload)
  if (command === "headers") return firstAmong(cursor)
  return isForeignAt(cursor) ? payload.subarray(0, HEADER_BYTES) : undefined
}
