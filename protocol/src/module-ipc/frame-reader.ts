import * as Result from "effect/Result"
import { append, type GrowingPayload, growingPayload, releasePayload } from "../wire/growing-payload.ts"
import type { ModuleIpcFault } from "./fault.ts"

/**
 * Maximum bytes of a message before the handshake: enough for three names, and for nothing that a process without an id
 * needs.
 */
export const MAX_HANDSHAKE_BYTES = 4_096

/** Maximum bytes of a message from a module; a block of 4 MB fits twice. */
export const MAX_MODULE_MESSAGE_BYTES = 8 * 1024 * 1024

/**
 * Maximum bytes of a message from the node, the same as the predecessor's limit. The txids of a million transactions
 * fit.
 */
export const MAX_NODE_MESSAGE_BYTES = 40 * 1024 * 1024

const PREFIX = 4
const NOTHING = new Uint8Array(0)

/** Unread bytes of a connection. */
export interface ModuleFrameReader {
  /** Maximum bytes of a message; it may be raised between two frames. */
  most: number
  /** Bytes that were fed last, and the number of them that were read. */
  chunk: Uint8Array
  at: number
  readonly prefix: Uint8Array
  prefixReceived: number
  incoming: GrowingPayload | undefined
  /** A permanent fault: after a length above the limit, the next frame cannot be found. */
  dead: ModuleIpcFault | undefined
}

/** Opens a reader of frames of at most `most` bytes each. */
export const moduleFrameReader = (most: number): ModuleFrameReader => ({
  most,
  chunk: NOTHING,
  at: 0,
  prefix: new Uint8Array(PREFIX),
  prefixReceived: 0,
  incoming: undefined,
  dead: undefined
})

/** Adds bytes that arrived. Precondition: {@link readModuleFrame} has returned `undefined` since the last call. */
export const feedModuleFrames = (reader: ModuleFrameReader, chunk: Uint8Array): void => {
  reader.chunk = chunk
  reader.at = 0
}

const takeFromChunk = (reader: ModuleFrameReader, most: number): Uint8Array => {
  const part = reader.chunk.subarray(reader.at, reader.at + most)
  reader.at += part.length
  return part
}

/** Continues to read the length before a frame. Returns whether it is complete. */
const hasPrefix = (reader: ModuleFrameReader): boolean => {
  const part = takeFromChunk(reader, PREFIX - reader.prefixReceived)
  reader.prefix.set(part, reader.prefixReceived)
  reader.prefixReceived += part.length
  return reader.prefixReceived === PREFIX
}

const declaredLength = ({ prefix }: ModuleFrameReader): number =>
  (prefix[0]! | (prefix[1]! << 8) | (prefix[2]! << 16) | (prefix[3]! << 24)) >>> 0

/**
 * Returns the bytes of the next message in a new array, or `undefined` if more bytes must arrive. Memory is
 * proportional to the bytes that arrived, not to a declared length.
 */
export const readModuleFrame = (
  reader: ModuleFrameReader
): Result.Result<Uint8Array | undefined, ModuleIpcFault> => {
  if (reader.dead !== undefined) return Result.fail(reader.dead)
  if (reader.incoming === undefined) {
    if (!hasPrefix(reader)) return Result.succeed(undefined)
    const length = declaredLength(reader)
    if (length > reader.most) {
      reader.dead = { _tag: "FrameTooLarge", length, most: reader.most }
      return Result.fail(reader.dead)
    }
    reader.incoming = growingPayload(length)
  }
  const { incoming } = reader
  append(incoming, takeFromChunk(reader, incoming.length - incoming.received))
  if (incoming.received < incoming.length) return Result.succeed(undefined)
  reader.incoming = undefined
  reader.prefixReceived = 0
  return Result.succeed(incoming.bytes.subarray(0, incoming.length))
}

/** Returns the bytes held for an incomplete message. */
export const heldModuleBytes = ({ incoming }: ModuleFrameReader): number => incoming?.bytes.length ?? 0

/** Releases the memory of an incomplete message. */
export const abandonModuleFrames = (reader: ModuleFrameReader): void => {
  if (reader.incoming !== undefined) releasePayload(reader.incoming)
  reader.incoming = undefined
  reader.chunk = NOTHING
}
