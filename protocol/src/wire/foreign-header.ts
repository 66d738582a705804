import { advance, type Cursor, cursorOn, readCompactSize } from "@lockstep/kernel/bytes"
import type { Command } from "./codecs.ts"

const HEADER_BYTES = 80
/** Of the version's last byte: the version is negative, which BIP65 and those before it refuse. */
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
 * The first 80 bytes of the first header in a payload whose version has bit 31 set; undefined if there is none. That bit
 * marks headers of another format, such as those of 164 bytes: what follows them cannot be read. The payload is one of
 * `headers`, `cmpctblock` or `block`.
 */
export const foreignHeaderIn = (
  command: Extract<Command, "headers" | "cmpctblock" | "block">,
  payload: Uint8Array
): Uint8Array | undefined => {
  const cursor = cursorOn(payload)
  if (command === "headers") return firstAmong(cursor)
  return isForeignAt(cursor) ? payload.subarray(0, HEADER_BYTES) : undefined
}
