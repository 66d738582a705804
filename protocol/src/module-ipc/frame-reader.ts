import * as Result from "effect/Result"
import { append, type GrowingPayload, growingPayload, releasePayload } from "../wire/growing-payload.ts"
import type { ModuleIpcFault } from "./fault.ts"

/** Most bytes of a message before the handshake: room for three names, and for nothing that a process without an id needs. */
export const MAX_HANDSHAKE_BYTES = 4_096

/** Most bytes of a message from a module: a block of 4 MB fits twice. */
export const MAX_MODULE_MESSAGE_BYTES = 8 * 1024 * 1024

/** Most bytes of a message from the node: the txids of a million transactions fit. The predecessor's limit as well. */
export const MAX_NODE_MESSAGE_BYTES = 40 * 1024 * 1024

const PREFIX = 4
const NOTHING = new Uint8Array(0)

/** What a connection has sent and has not been read yet. */
export interface ModuleFrameReader {
  /** Most bytes of a message; it may be raised between two frames. */
  most: number
  /** What was fed last, and how much of it has been read. */
  chunk: Uint8Array
  at: number
  readonly prefix: Uint8Array
  prefixReceived: number
  incoming: GrowingPayload | undefined
  /** A length above the limit leaves no way to the next frame: it is the answer for good. */
  dead: ModuleIpcFault | undefined
}

/** A reader of frames of at most `most` bytes each. */
export const moduleFrameReader = (most: number): ModuleFrameReader => ({
  most,
  chunk: NOTHING,
  at: 0,
  prefix: new Uint8Array(PREFIX),
  prefixReceived: 0,
  incoming: undefined,
  dead: undefined
})

/** Adds what arrived. Precondition: {@link readModuleFrame} has answered nothing since the last time. */
export const feedModuleFrames = (reader: ModuleFrameReader, chunk: Uint8Array): void => {
  reader.chunk = chunk
  reader.at = 0
}

const takeFromChunk = (reader: ModuleFrameReader, most: number): Uint8Array => {
  const part = reader.chunk.subarray(reader.at, reader.at + most)
  reader.at += part.length
  return part
}

/** Reads on in the length before a frame; whether it is complete. */
const hasPrefix = (reader: ModuleFrameReader): boolean => {
  const part = takeFromChunk(reader, PREFIX - reader.prefixReceived)
  reader.prefix.set(part, reader.prefixReceived)
  reader.prefixReceived += part.length
  return reader.prefixReceived === PREFIX
}

const declaredLength = ({ prefix }: ModuleFrameReader): number =>
  (prefix[0]! | (prefix[1]! << 8) | (prefix[2]! << 16) | (prefix[3]! << 24)) >>> 0

/**
 * The next message's bytes, which are an array of its own; nothing when more must arrive. Memory follows what arrived, never
 * what a length declares.
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

/** Bytes that are held of a message on its way. */
export const heldModuleBytes = ({ incoming }: ModuleFrameReader): number => incoming?.bytes.length ?? 0

/** Releases what is held of a message on its way. */
export const abandonModuleFrames = (reader: ModuleFrameReader): void => {
  if (reader.incoming !== undefined) releasePayload(reader.incoming)
  reader.incoming = undefined
  reader.chunk = NOTHING
}
