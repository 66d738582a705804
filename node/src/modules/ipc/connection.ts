import {
  abandonModuleFrames,
  decodeModuleMessage,
  feedModuleFrames,
  MAX_HANDSHAKE_BYTES,
  MAX_MODULE_MESSAGE_BYTES,
  moduleFrameBatch,
  moduleFramePieces,
  type ModuleFrameReader,
  moduleFrameReader,
  moduleIpcFaultText,
  type ModuleMessage,
  readModuleFrame
} from "@lockstep/protocol/module-ipc/index.ts"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { Socket } from "node:net"
import { ensuring } from "../../finalizers/finalizers.ts"

/** The reason for the end of a connection. `isProtocol` is true if the module sent an invalid or untimely message. */
export class ConnectionEnd extends Data.TaggedError("ConnectionEnd")<{
  readonly reason: string
  readonly isProtocol: boolean
}> {}

const ended = (reason: string): ConnectionEnd => new ConnectionEnd({ reason, isProtocol: false })
/** Ends a connection because the module broke the protocol. */
export const protocolEnd = (reason: string): ConnectionEnd => new ConnectionEnd({ reason, isProtocol: true })

/** Bounds an effect that waits for the module to read. */
type Limit = (waiting: Effect.Effect<void, ConnectionEnd>) => Effect.Effect<void, ConnectionEnd>

/** Messages to and from a module. One fiber at a time may receive; any number may send. */
export interface ModuleConnection {
  /** The next message. Until it is requested, the module's messages wait in its own socket. */
  readonly receive: Effect.Effect<ModuleMessage, ConnectionEnd>
  /**
   * Returns the next complete message that has arrived, or `undefined` if more bytes are needed; then use `receive`.
   */
  readonly arrived: () => Result.Result<ModuleMessage | undefined, ConnectionEnd>
  /** Sends like `send`, at once. Returns the effect to wait for, or `undefined` if nothing has to be waited for. */
  readonly sendNow: (message: ModuleMessage, limit?: Limit) => Effect.Effect<void, ConnectionEnd> | undefined
  /**
   * Sends a message. Small messages are queued at once, and those of one turn of the event loop are written together.
   * When {@link MOST_UNREAD_BYTES} bytes wait, sending ends only once the system has accepted the message. So a module
   * that does not read delays its senders. `limit` wraps the wait.
   */
  readonly send: (message: ModuleMessage, limit?: Limit) => Effect.Effect<void, ConnectionEnd>
  /**
   * Adds a frame, which may be shared, to the next write: with the next message or with `flush`. Returns false if the
   * module has to read first or the frame is too long.
   */
  readonly post: (frame: Uint8Array) => boolean
  /** Writes the posted frames. */
  readonly flush: () => void
  /** Sends the last message before the end; ends once the system has accepted it. */
  readonly sendLast: (message: ModuleMessage) => Effect.Effect<void, ConnectionEnd>
  /** Allows messages of the full size. Before, none is longer than a handshake. */
  readonly allowLargeMessages: () => void
  /** Ends the connection immediately. */
  readonly destroy: Effect.Effect<void>
}

/** Returns the reason for the end of a socket, or `undefined` if it is open. */
const overWith = (socket: Socket, error: Error | undefined): ConnectionEnd | undefined =>
  error !== undefined
    ? ended(error.message)
    : socket.destroyed || socket.readableEnded
    ? ended("the module ended the connection")
    : undefined

/** Reads the bytes that the socket has; waits until it has some. */
const nextChunk = (socket: Socket, failure: () => Error | undefined): Effect.Effect<Uint8Array, ConnectionEnd> =>
  Effect.callback((resume) => {
    const attempt = (): boolean => {
      const chunk = socket.read() as Buffer | null
      if (chunk !== null) resume(Effect.succeed(chunk))
      const over = chunk === null ? overWith(socket, failure()) : undefined
      if (over !== undefined) resume(Effect.fail(over))
      return chunk !== null || over !== undefined
    }
    const events = ["readable", "end", "close"] as const
    const listener = (): void => {
      if (attempt()) stop()
    }
    const stop = (): void => {
      for (const event of events) socket.off(event, listener)
    }
    for (const event of events) socket.on(event, listener)
    listener()
    return Effect.sync(stop)
  })

/** Unread bytes that a module may accumulate before its senders wait. */
const MOST_UNREAD_BYTES = 64 * 1024

const closedWith = (socket: Socket, failure: () => Error | undefined): ConnectionEnd =>
  overWith(socket, failure()) ?? ended("the connection is closed")

/** Writes the pieces; ends once the system has accepted them. */
const written = (
  socket: Socket,
  pieces: ReadonlyArray<Uint8Array>,
  failure: () => Error | undefined
): Effect.Effect<void, ConnectionEnd> =>
  Effect.callback((resume) => {
    if (socket.destroyed) return resume(Effect.fail(closedWith(socket, failure)))
    socket.cork()
    const last = pieces.length - 1
    for (const [i, piece] of pieces.entries()) {
      socket.write(
        piece,
        i < last ? undefined : (error) => {
          resume(error === undefined || error === null ? Effect.void : Effect.fail(ended(error.message)))
        }
      )
    }
    socket.uncork()
  })

/** Small messages that are written together at the end of a turn of the event loop. */
interface Outgoing {
  /** Bytes that wait to be sent, here or in the socket. */
  readonly length: () => number
  /** Adds a message. A long one is returned in pieces and sent alone, after those that were added before. */
  readonly add: (message: ModuleMessage) => ReadonlyArray<Uint8Array> | undefined
  /** Adds a frame that is written with others. */
  readonly addFrame: (frame: Uint8Array) => void
  /** Writes everything that was added, without waiting for the end of the turn. */
  readonly flush: () => void
}

const outgoing = (socket: Socket): Outgoing => {
  const batch = moduleFrameBatch()
  let isDue = false
  const flush = (): void => {
    if (batch.length() === 0 || socket.destroyed) return
    socket.write(batch.take())
    // The system has accepted all of it.
    if (socket.writableLength === 0) batch.reuse()
  }
  const turnEnds = (): void => {
    isDue = false
    flush()
  }
  return {
    length: () => socket.writableLength + batch.length(),
    flush,
    addFrame: batch.addFrame,
    add: (message) => {
      const pieces = batch.add(message, MOST_UNREAD_BYTES)
      if (pieces === undefined && !isDue) {
        isDue = true
        setImmediate(turnEnds)
      }
      return pieces
    }
  }
}

const WITHOUT_LIMIT: Limit = (waiting) => waiting

/** Sends messages in the order of the calls and bounds the memory for those that the module does not read. */
const sender = (
  socket: Socket,
  failure: () => Error | undefined
): Pick<ModuleConnection, "send" | "sendNow" | "sendLast" | "post" | "flush"> => {
  const turn = Semaphore.makeUnsafe(1)
  const out = outgoing(socket)
  let waiting = 0

  const waited = (pieces: () => ReadonlyArray<Uint8Array>): Effect.Effect<void, ConnectionEnd> => {
    waiting++
    return ensuring(
      turn.withPermits(1)(Effect.suspend(() => {
        out.flush()
        return written(socket, pieces(), failure)
      })),
      Effect.sync(() => {
        waiting--
      })
    )
  }

  /** Reports whether messages must wait. Waiting messages go first and are encoded when their turn comes. */
  const isFull = (): boolean => waiting > 0 || out.length() >= MOST_UNREAD_BYTES

  const sendNow: ModuleConnection["sendNow"] = (message, limit = WITHOUT_LIMIT) => {
    if (socket.destroyed) return Effect.fail(closedWith(socket, failure))
    if (isFull()) return limit(waited(() => moduleFramePieces(message)))
    const pieces = out.add(message)
    return pieces === undefined ? undefined : limit(waited(() => pieces))
  }
  return {
    sendNow,
    send: (message, limit) => Effect.suspend(() => sendNow(message, limit) ?? Effect.void),
    post: (frame) => {
      const hasRoom = frame.length < MOST_UNREAD_BYTES && !socket.destroyed && !isFull()
      if (hasRoom) out.addFrame(frame)
      return hasRoom
    },
    flush: out.flush,
    sendLast: (message) => Effect.suspend(() => waited(() => moduleFramePieces(message)))
  }
}

/** Returns the next complete message that has arrived, or `undefined` if more bytes are needed. */
const arrivedMessage = (reader: ModuleFrameReader): Result.Result<ModuleMessage | undefined, ConnectionEnd> => {
  const frame = readModuleFrame(reader)
  if (Result.isFailure(frame)) return Result.fail(protocolEnd(moduleIpcFaultText(frame.failure)))
  if (frame.success === undefined) return Result.succeed(undefined)
  const message = decodeModuleMessage(frame.success)
  return Result.isSuccess(message)
    ? Result.succeed(message.success)
    : Result.fail(protocolEnd(moduleIpcFaultText(message.failure)))
}

/** The next message. */
const nextMessage = (
  arrived: () => Result.Result<ModuleMessage | undefined, ConnectionEnd>,
  fed: Effect.Effect<void, ConnectionEnd>
): Effect.Effect<ModuleMessage, ConnectionEnd> => {
  const next: Effect.Effect<ModuleMessage, ConnectionEnd> = Effect.suspend(() => {
    const message = arrived()
    if (Result.isFailure(message)) return Effect.fail(message.failure)
    return message.success === undefined ? Effect.andThen(fed, next) : Effect.succeed(message.success)
  })
  return next
}

/** The connection over a socket, which nothing else may read. */
export const moduleConnection = (socket: Socket): ModuleConnection => {
  const reader = moduleFrameReader(MAX_HANDSHAKE_BYTES)
  let error: Error | undefined
  socket.on("error", (cause) => {
    error = cause
  })
  const failure = (): Error | undefined => error
  const arrived = (): Result.Result<ModuleMessage | undefined, ConnectionEnd> => arrivedMessage(reader)
  const fed = Effect.map(nextChunk(socket, failure), (chunk) => feedModuleFrames(reader, chunk))
  return {
    arrived,
    receive: nextMessage(arrived, fed),
    ...sender(socket, failure),
    allowLargeMessages: () => {
      reader.most = MAX_MODULE_MESSAGE_BYTES
    },
    destroy: Effect.sync(() => {
      socket.destroy()
      abandonModuleFrames(reader)
    })
  }
}
