import { isUtf8 } from "node:buffer"

/**
 * Text that can carry any bytes. UTF-8 is decoded as usual; every other byte becomes the lone surrogate U+DC00 + byte,
 * which valid UTF-8 cannot contain (as in Python's PEP 383). So arguments, credentials and paths are handled as text,
 * and texts differ if their bytes differ.
 */
const ESCAPE = 0xdc00
const ESCAPED = /[\udc80-\udcff]/u

/** Reports whether a text contains bytes that are not UTF-8. */
export const holdsBytes = (text: string): boolean => ESCAPED.test(text)

const LONGEST_SEQUENCE = 4

/** Returns the length of the UTF-8 character at `at`; 0 if the bytes are invalid. */
const sequenceAt = (bytes: Uint8Array, at: number): number => {
  for (let length = 1; length <= LONGEST_SEQUENCE && at + length <= bytes.length; length++) {
    if (isUtf8(bytes.subarray(at, at + length))) return length
  }
  return 0
}

/** Returns the text that represents these bytes. */
export const textOfBytes = (bytes: Uint8Array): string => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (isUtf8(buffer)) return buffer.toString()
  let text = ""
  for (let at = 0; at < buffer.length;) {
    const length = sequenceAt(buffer, at)
    text += length === 0 ? String.fromCharCode(ESCAPE + buffer[at]!) : buffer.toString("utf8", at, at + length)
    at += Math.max(1, length)
  }
  return text
}

/** Returns the bytes that a text represents. */
export const bytesOfText = (text: string): Buffer => {
  if (!holdsBytes(text)) return Buffer.from(text)
  const parts = Array.from(
    text,
    (character) => holdsBytes(character) ? Buffer.of(character.charCodeAt(0) - ESCAPE) : Buffer.from(character)
  )
  return Buffer.concat(parts)
}
