import { bytesEqual, concatBytes, cursorOn } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import * as Result from "effect/Result"
import { type Command, isCommand } from "./codecs.ts"
import { commandOf, readableCommand } from "./command-field.ts"
import type { FrameFault } from "./fault.ts"
import { checksumOf, FRAME_HEADER_SIZE, readFrameHeader } from "./frame.ts"
import { append, type GrowingPayload, growingPayload, releasePayload } from "./growing-payload.ts"
import { DEFAULT_LIMITS, type ProtocolLimits } from "./limits.ts"
import { payloadMost } from "./payload-cap.ts"

/** A message as received. Only the checksum of its payload was verified. */
export interface KnownFrame {
  readonly _tag: "Known"
  readonly command: Command
  /** A new array, not a view of the bytes that were fed. */
  readonly payload: Uint8Array
}

/** A message of an unknown command. Its `length` bytes are skipped; only a short payload is kept and checked first. */
export interface UnknownFrame {
  readonly _tag: "Unknown"
  readonly command: string
  readonly length: number
}

export type Frame = KnownFrame | UnknownFrame

/** An incomplete payload with the facts of its header. */
interface Incoming extends GrowingPayload {
  readonly command: string | undefined
  readonly field: Uint8Array
  readonly checksum: Uint8Array
}

/** Unread bytes of a connection. */
export interface FrameReader {
  readonly magic: Uint8Array
  readonly crypto: Crypto
  readonly limits: ProtocolLimits
  /** Bytes that were fed last, and the number of them that were read. */
  chunk: Uint8Array
  at: number
  /** The incomplete header. */
  readonly header: Uint8Array
  headerReceived: number
  incoming: Incoming | undefined
  /** Number of bytes to skip. */
  skip: number
  /** A permanent fault, after which the next frame cannot be found. */
  dead: FrameFault | undefined
}

/** Maximum bytes of an unknown command's payload that are kept until its checksum is verified. */
const UNKNOWN_KEPT = 4_096

const NOTHING = new Uint8Array(0)
const NEED_MORE: Result.Result<undefined> = Result.succeed(undefined)

/** Opens a reader at the start of a connection. */
export const frameReader = (
  magic: Uint8Array,
  crypto: Crypto,
  limits: ProtocolLimits = DEFAULT_LIMITS
): FrameReader => ({
  magic,
  crypto,
  limits,
  chunk: NOTHING,
  at: 0,
  header: new Uint8Array(FRAME_HEADER_SIZE),
  headerReceived: 0,
  incoming: undefined,
  skip: 0,
  dead: undefined
})

/**
 * Adds bytes that have arrived. Call {@link readFrame} until it returns nothing before the next call. Then at most one
 * chunk is held here, and its buffer may be reused.
 */
export const feed = (reader: FrameReader, bytes: Uint8Array): void => {
  const rest = reader.chunk.subarray(reader.at)
  reader.chunk = rest.length === 0 ? bytes : concatBytes([rest, bytes])
  reader.at = 0
}

/** Returns the bytes that the reader holds: the unread part of the last chunk, and the incomplete payload. */
export const heldBytes = ({ at, chunk, incoming }: FrameReader): number =>
  chunk.length - at + (incoming?.bytes.length ?? 0)

/** Releases the held bytes; nothing more of this connection will be read. */
export const abandon = (reader: FrameReader): void => {
  if (reader.incoming !== undefined) releasePayload(reader.incoming)
  reader.incoming = undefined
  reader.chunk = NOTHING
  reader.at = 0
}

const available = (reader: FrameReader): number => reader.chunk.length - reader.at

/** Returns the next bytes of the chunk, at most `most`. */
const take = (reader: FrameReader, most: number): Uint8Array => {
  const end = Math.min(reader.chunk.length, reader.at + most)
  const taken = reader.chunk.subarray(reader.at, end)
  reader.at = end
  return taken
}

const passOver = (reader: FrameReader): void => {
  if (reader.skip > 0) reader.skip -= take(reader, reader.skip).length
}

/** Stops the reader: without a trustworthy length the start of the next frame is unknown. */
const die = (reader: FrameReader, fault: FrameFault): Result.Result<never, FrameFault> => {
  reader.dead = fault
  reader.incoming = undefined
  reader.chunk = NOTHING
  reader.at = 0
  return Result.fail(fault)
}

/** Returns the fault of a wrong magic as soon as its four bytes have arrived, not after the whole header of 24. */
const magicFault = ({ header, headerReceived, magic }: FrameReader): FrameFault | undefined => {
  if (headerReceived < magic.length) return undefined
  const found = new Uint8Array(header.subarray(0, magic.length))
  return bytesEqual(found, magic) ? undefined : { _tag: "BadMagic", expected: magic, found }
}

/** Returns the fault or large unknown frame that a complete header announces, or `undefined` if a payload follows. */
const announced = (reader: FrameReader): Result.Result<UnknownFrame | undefined, FrameFault> => {
  const { checksum, command: field, length } = readFrameHeader(cursorOn(new Uint8Array(reader.header)))
  reader.headerReceived = 0
  const command = commandOf(field)
  const most = payloadMost(reader.limits)
  if (length > most) return die(reader, { _tag: "TooLarge", command: readableCommand(field), length, most })
  if ((command !== undefined && isCommand(command)) || length <= UNKNOWN_KEPT) {
    reader.incoming = { command, field, checksum, ...growingPayload(length) }
    return NEED_MORE
  }
  reader.skip = length
  passOver(reader)
  return command === undefined
    ? Result.fail({ _tag: "BadCommand", field, length })
    : Result.succeed({ _tag: "Unknown", command, length })
}

const finished = (reader: FrameReader, incoming: Incoming): Result.Result<Frame, FrameFault> => {
  const { bytes, checksum: declared, command, field } = incoming
  const { length } = bytes
  reader.incoming = undefined
  const computed = checksumOf(bytes, reader.crypto)
  if (!bytesEqual(declared, computed)) {
    return Result.fail({ _tag: "BadChecksum", command: readableCommand(field), length, declared, computed })
  }
  if (command === undefined) return Result.fail({ _tag: "BadCommand", field, length })
  return Result.succeed(
    isCommand(command) ? { _tag: "Known", command, payload: bytes } : { _tag: "Unknown", command, length }
  )
}

const readPayload = (reader: FrameReader, incoming: Incoming): Result.Result<Frame | undefined, FrameFault> => {
  const part = take(reader, incoming.length - incoming.received)
  append(incoming, part)
  return incoming.received === incoming.length ? finished(reader, incoming) : NEED_MORE
}

/** Reads the next frame from the chunk. Returns `undefined` if the chunk ends before. */
const step = (reader: FrameReader): Result.Result<Frame | undefined, FrameFault> => {
  passOver(reader)
  const part = take(reader, FRAME_HEADER_SIZE - reader.headerReceived)
  reader.header.set(part, reader.headerReceived)
  reader.headerReceived += part.length
  const fault = magicFault(reader)
  if (fault !== undefined) return die(reader, fault)
  if (reader.headerReceived < FRAME_HEADER_SIZE) return NEED_MORE
  const received = announced(reader)
  if (Result.isFailure(received) || received.success !== undefined || reader.incoming === undefined) return received
  return readPayload(reader, reader.incoming)
}

/**
 * Returns the next frame of the bytes that were fed, or `undefined` if more must arrive. After a fault that
 * `endsConnection` nothing more can be read. After any other fault the next call continues with the next frame.
 */
export const readFrame = (reader: FrameReader): Result.Result<Frame | undefined, FrameFault> => {
  if (reader.dead !== undefined) return Result.fail(reader.dead)
  const answer = reader.incoming === undefined ? step(reader) : readPayload(reader, reader.incoming)
  if (available(reader) === 0) {
    reader.chunk = NOTHING
    reader.at = 0
  }
  return answer
}
