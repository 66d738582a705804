import {
  type Cursor,
  readBytes,
  readUint32,
  writeBytes,
  type Writer,
  writerOf,
  writeUint32
} from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import type { Message } from "./codecs.ts"
import { COMMAND_SIZE, commandField } from "./command-field.ts"
import { encodeMessage } from "./message.ts"

/** Bytes before a payload: magic, command, length, checksum. */
export const FRAME_HEADER_SIZE = 24

/** An unvalidated frame header. */
export interface FrameHeader {
  readonly magic: Uint8Array
  readonly command: Uint8Array
  readonly length: number
  readonly checksum: Uint8Array
}

/** Returns the first four bytes of a double hash. They detect damage, not malice. */
export const checksumOf = (payload: Uint8Array, crypto: Crypto): Uint8Array => crypto.sha256d(payload).subarray(0, 4)

/** Reads the header of a frame. */
export const readFrameHeader = (cursor: Cursor): FrameHeader => ({
  magic: readBytes(cursor, 4),
  command: readBytes(cursor, COMMAND_SIZE),
  length: readUint32(cursor),
  checksum: readBytes(cursor, 4)
})

const writeHeader = (writer: Writer, { checksum, command, length, magic }: FrameHeader): void => {
  writeBytes(writer, magic)
  writeBytes(writer, command)
  writeUint32(writer, length)
  writeBytes(writer, checksum)
}

const headerFor = (magic: Uint8Array, command: string, payload: Uint8Array, crypto: Crypto): FrameHeader => ({
  magic,
  command: commandField(command),
  length: payload.length,
  checksum: checksumOf(payload, crypto)
})

/**
 * Encodes the bytes before `payload`, for a caller that sends both without copying a block into a frame. Precondition:
 * the command is ASCII of at most twelve characters.
 */
export const frameHeader = (magic: Uint8Array, command: string, payload: Uint8Array, crypto: Crypto): Uint8Array => {
  const writer = writerOf(FRAME_HEADER_SIZE)
  writeHeader(writer, headerFor(magic, command, payload, crypto))
  return writer.bytes
}

/** Encodes header and payload. The command is ASCII of at most twelve characters. */
export const encodeFrame = (magic: Uint8Array, command: string, payload: Uint8Array, crypto: Crypto): Uint8Array => {
  const writer = writerOf(FRAME_HEADER_SIZE + payload.length)
  writeHeader(writer, headerFor(magic, command, payload, crypto))
  writeBytes(writer, payload)
  return writer.bytes
}

/** Encodes a message with its frame. */
export const frameOf = (magic: Uint8Array, message: Message, crypto: Crypto): Uint8Array =>
  encodeFrame(magic, message.command, encodeMessage(message), crypto)
