import type { Endpoint } from "../../../net/endpoint.ts"
import { MESSAGE_OVERHEAD } from "../tcp/socket-connection.ts"
import type { Accept, Connection } from "../transport.ts"
import type { NativeConnection, NativeStream } from "../../../quic/quic-binding.ts"

/** Maximum bytes of one read. */
const READ_SIZE = 262_144

/** Bytes up to which queued messages are combined, as each write crosses the binding. */
const TOGETHER = 65_536

const CLOSED = "the other side closed the connection"
const SILENT = "the other side does not answer any more"

/** The part of either library's connection that its stream needs. */
export type StreamOwner = Pick<NativeConnection, "abort" | "closed" | "stats">

/** The part of either library's stream that is used. */
export type OneStream = Pick<NativeStream, "read" | "write">

export interface StreamEnds {
  readonly remote: Endpoint
  readonly local: Endpoint | undefined
}

/** Makes a queue of bytes to write. */
const sendQueue = () => {
  let pieces: Array<Uint8Array> = []
  let bytes = 0
  return {
    size: () => bytes + pieces.length * MESSAGE_OVERHEAD,
    isEmpty: () => pieces.length === 0,
    add: (piece: Uint8Array) => {
      pieces.push(piece)
      bytes += piece.length
    },
    /** Removes and returns the first piece, combined with the following ones while the total is small. */
    take: (): Uint8Array => {
      let count = 1
      let taken = pieces[0]!.length
      while (count < pieces.length && taken + pieces[count]!.length <= TOGETHER) taken += pieces[count++]!.length
      const first = pieces.splice(0, count)
      bytes -= taken
      return count === 1 ? first[0]! : Buffer.concat(first)
    },
    clear: () => {
      pieces = []
      bytes = 0
    }
  }
}

/** Connects an open stream to its listener, which `accept` returns. `early` are bytes read already. */
export const takeStream = (
  native: StreamOwner,
  stream: OneStream,
  ends: StreamEnds,
  accept: Accept,
  early: Uint8Array = new Uint8Array(0)
): Connection => {
  const queue = sendQueue()
  let reason: string | undefined
  let isOver = false
  let isHeld = false
  let isReading = false
  /** Number of bytes being written. */
  let writing = 0
  /** Bytes that were read while the listener was paused. */
  let unread: Uint8Array | undefined = early.length === 0 ? undefined : early

  const end = (why?: string): void => {
    reason ??= why
    isOver = true
    queue.clear()
    native.abort()
  }

  const written = (): void => {
    writing = 0
    if (isOver) return
    if (queue.isEmpty()) listener.drained()
    else flush()
  }

  const flush = (): void => {
    if (writing > 0 || isOver || queue.isEmpty()) return
    const bytes = queue.take()
    writing = bytes.length
    stream.write(bytes).then(written, () => end())
  }

  const deliver = (): void => {
    const bytes = unread
    unread = undefined
    if (bytes !== undefined && bytes.length > 0) listener.received(bytes)
  }

  const arrived = (bytes: Uint8Array | null): void => {
    isReading = false
    if (isOver) return
    if (bytes === null) return end(CLOSED)
    unread = bytes
    readOn()
  }

  const readOn = (): void => {
    if (isHeld || isOver) return
    deliver()
    // The listener may just have closed or paused.
    if (isHeld || isOver || isReading) return
    isReading = true
    stream.read(READ_SIZE).then(arrived, () => end())
  }

  const connection: Connection = {
    remote: ends.remote,
    local: ends.local,
    send: (bytes) => {
      if (isOver || bytes.length === 0) return
      queue.add(bytes)
      flush()
    },
    unsent: () => queue.size() + (writing === 0 ? 0 : writing + MESSAGE_OVERHEAD),
    pause: () => {
      isHeld = true
    },
    resume: () => {
      isHeld = false
      readOn()
    },
    close: () => end("closed by this node")
  }
  const listener = accept(connection)
  const ended = (): void => {
    end(native.stats().frameRxConnectionClose > 0 ? CLOSED : SILENT)
    listener.closed(reason ?? SILENT)
  }
  native.closed().then(ended, ended)
  // Reading begins only after this function has returned.
  queueMicrotask(readOn)
  return connection
}
