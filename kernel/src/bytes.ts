/** Bytes: reading, writing, comparing. */
export { compactSizeLength, encodeCompactSize, readCompactSize } from "./bytes/compact-size.ts"
export {
  advance,
  type Cursor,
  cursorOn,
  type MalformedBytes,
  readBytes,
  readInt64,
  readUint32,
  readUint8
} from "./bytes/cursor.ts"
export { bytesEqual, compareBytes, concatBytes, isZero } from "./bytes/equal.ts"
export {
  sizedLength,
  writeBytes,
  writeCompactSize,
  writeInt64,
  type Writer,
  writerOf,
  writeSized,
  writeUint32,
  writeUint8
} from "./bytes/writer.ts"
