import {
  abandonModuleFrames,
  decodeModuleMessage,
  encodeModuleFrame,
  feedModuleFrames,
  MAX_HANDSHAKE_BYTES,
  MAX_MODULE_MESSAGE_BYTES,
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

/** Why a connection to a module is over. `isProtocol`: the module sent what is no message, or not its turn. */
export class ConnectionEnd extends Data.TaggedError("ConnectionEnd")<{
  readonly reason: string
  readonly isProtocol: boolean
}> {}

const ended = (reason: string): ConnectionEnd => new ConnectionEnd({ reason, isProtocol: false })
/** The module broke the protocol. */
export const protocolEnd = (reason: string): ConnectionEnd => new ConnectionEnd({ reason, isProtocol: true })

/** Bounds an effect that waits for the module to read. */
type Limit = (waiting: Effect.Effect<void, ConnectionEnd>) => Effect.Effect<void, ConnectionEnd>

/** Messages to and from a module. One fiber at a time may receive; any number may send. */
export interface ModuleConnection {
  /** The next message. While none is asked for, the module's messages wait in its own socket. */
  readonly receive: Effect.Effect<ModuleMessage, ConnectionEnd>
  /**
   * Small messages are queued at once, and those of one turn go out together. When {@link MOST_UNREAD_BYTES} bytes wait, sending
   * ends once the system has taken the message: a module that does not read holds its senders up. `limit` is put around
   * what waits.
   */
  readonly send: (message: ModuleMessage, limit?: Limit) => Effect.Effect<void, ConnectionEnd>
  /** Ends once the system has taken the message: for the last one before the end. */
  readonly sendLast: (message: ModuleMessage) => Effect.Effect<void, ConnectionEnd>
  /** Allows messages of the full size; before, none is longer than a handshake. */
  readonly allowLargeMessages: () => void
  /** Ends the connection at once. */
  readonly destroy: Effect.Effect<void>
}

/** What ended a socket that is over. */
const overWith = (socket: Socket, error: Error | undefined): ConnectionEnd | undefined =>
  error !== undefined
    ? ended(error.message)
    : socket.destroyed || socket.readableEnded
    ? ended("the module ended the connection")
    : undefined

/** Bytes that the socket has; waits until it has some. */
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

/** Bytes that may wait for a module to read before its senders wait. */
const MOST_UNREAD_BYTES = 64 * 1024

const closedWith = (socket: Socket, failure: () => Error | undefined): ConnectionEnd =>
  overWith(socket, failure()) ?? ended("the connection is closed")

/** Ends once the system has taken the bytes. */
const written = (
  socket: Socket,
  bytes: Uint8Array,
  failure: () => Error | undefined
): Effect.Effect<void, ConnectionEnd> =>
  Effect.callback((resume) => {
    if (socket.destroyed) return resume(Effect.fail(closedWith(socket, failure)))
    socket.write(bytes, (error) => {
      resume(error === undefined || error === null ? Effect.void : Effect.fail(ended(error.message)))
    })
  })

/** Writes what is queued in one turn of the event loop with one call to the system. */
const queueing = (socket: Socket): (bytes: Uint8Array) => void => {
  let isCorked = false
  const uncork = (): void => {
    isCorked = false
    socket.uncork()
  }
  return (bytes) => {
    if (!isCorked) {
      isCorked = true
      socket.cork()
      setImmediate(uncork)
    }
    socket.write(bytes)
  }
}

const WITHOUT_LIMIT: Limit = (waiting) => waiting

/** Sends messages in the order of the calls, while the memory for those that the module does not read is bounded. */
const sender = (socket: Socket, failure: () => Error | undefined): Pick<ModuleConnection, "send" | "sendLast"> => {
  const turn = Semaphore.makeUnsafe(1)
  const queue = queueing(socket)
  let waiting = 0

  const waited = (frame: () => Uint8Array): Effect.Effect<void, ConnectionEnd> => {
    waiting++
    return ensuring(
      turn.withPermits(1)(Effect.suspend(() => written(socket, frame(), failure))),
      Effect.sync(() => {
        waiting--
      })
    )
  }

  const send: ModuleConnection["send"] = (message, limit = WITHOUT_LIMIT) =>
    Effect.suspend(() => {
      if (socket.destroyed) return Effect.fail(closedWith(socket, failure))
      // Those that wait were first. They are encoded when their turn comes.
      if (waiting > 0 || socket.writableLength >= MOST_UNREAD_BYTES) {
        return limit(waited(() => encodeModuleFrame(message)))
      }
      const frame = encodeModuleFrame(message)
      if (frame.length >= MOST_UNREAD_BYTES) return limit(waited(() => frame))
      queue(frame)
      return Effect.void
    })
  return { send, sendLast: (message) => Effect.suspend(() => waited(() => encodeModuleFrame(message))) }
}

/** The next message of what arrives. */
const nextMessage = (
  reader: ModuleFrameReader,
  chunk: Effect.Effect<Uint8Array, ConnectionEnd>
): Effect.Effect<ModuleMessage, ConnectionEnd> => {
  const fed = Effect.map(chunk, (bytes) => feedModuleFrames(reader, bytes))
  const next: Effect.Effect<ModuleMessage, ConnectionEnd> = Effect.suspend(() => {
    const frame = readModuleFrame(reader)
    if (Result.isFailure(frame)) return Effect.fail(protocolEnd(moduleIpcFaultText(frame.failure)))
    if (frame.success === undefined) return Effect.andThen(fed, next)
    const message = decodeModuleMessage(frame.success)
    return Result.isSuccess(message)
      ? Effect.succeed(message.success)
      : Effect.fail(protocolEnd(moduleIpcFaultText(message.failure)))
  })
  return next
}

/** The connection that a socket is. The socket must not be read by anything else. */
export const moduleConnection = (socket: Socket): ModuleConnection => {
  const reader = moduleFrameReader(MAX_HANDSHAKE_BYTES)
  let error: Error | undefined
  socket.on("error", (cause) => {
    error = cause
  })
  const failure = (): Error | undefined => error
  const chunk = nextChunk(socket, failure)
  return {
    receive: nextMessage(reader, chunk),
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
