import type { Socket } from "node:net"
import type { Accept, Connection } from "../transport.ts"
import type { Endpoint } from "../../../net/endpoint.ts"

const WORDS: Readonly<Record<string, string>> = {
  ECONNRESET: "the other side reset the connection",
  EPIPE: "the other side closed the connection",
  ETIMEDOUT: "the other side does not answer any more"
}

export const socketErrorText = (error: NodeJS.ErrnoException): string =>
  WORDS[error.code ?? ""] ?? error.code ?? error.message

const plain = (bytes: Buffer): Uint8Array => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)

/**
 * Bytes that a queued message costs beside its own. A peer that requests a megabyte of small answers and reads none
 * makes this node keep thousands of them.
 */
export const MESSAGE_OVERHEAD = 1_024

/** Bytes up to which small queued messages are combined; single writes would take several times their bytes. */
const TOGETHER = 16_384
const SMALL = 4_096

/**
 * Frees memory at once. Under heavy serving, buffers that wait for a collection make V8 collect the whole heap
 * repeatedly.
 */
const release = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}

export interface SocketEnds {
  readonly remote: Endpoint
  readonly local: Endpoint | undefined
}

/** Connects a connected socket to its listener, which `accept` returns. `early` are bytes read already. */
export const takeSocket = (socket: Socket, ends: SocketEnds, accept: Accept, early?: Uint8Array): Connection => {
  let reason: string | undefined
  let isHeld = false
  /** Number of messages in pending writes. */
  let waiting = 0
  /** The combined messages behind those: a partly used buffer, the bytes used, and the number of messages. */
  let together: Uint8Array | undefined
  let used = 0
  let messages = 0

  const write = (bytes: Uint8Array, count: number, isOwned: boolean): void => {
    waiting += count
    socket.write(bytes, (error) => {
      waiting -= count
      if (isOwned) release(bytes)
      if (error != null || socket.destroyed) return
      if (waiting === 0) flush()
      if (waiting === 0) listener.drained()
    })
  }

  const flush = (): void => {
    if (together === undefined) return
    const [bytes, count] = [together.subarray(0, used), messages]
    together = undefined
    used = 0
    messages = 0
    write(bytes, count, false)
  }

  const append = (bytes: Uint8Array): void => {
    if (used + bytes.length > TOGETHER) flush()
    together ??= new Uint8Array(TOGETHER)
    together.set(bytes, used)
    used += bytes.length
    messages++
  }

  const connection: Connection = {
    remote: ends.remote,
    local: ends.local,
    send: (bytes, isOwned = false) => {
      if (!socket.writable) return
      if (waiting > 0 && bytes.length <= SMALL) return append(bytes)
      flush()
      write(bytes, 1, isOwned)
    },
    unsent: () => socket.writableLength + used + (waiting + messages) * MESSAGE_OVERHEAD,
    pause: () => {
      isHeld = true
      socket.pause()
    },
    resume: () => {
      isHeld = false
      if (!socket.destroyed) socket.resume()
    },
    close: () => {
      reason ??= "closed by this node"
      socket.destroy()
    }
  }
  socket.setNoDelay(true)
  const listener = accept(connection)
  socket.on("error", (error) => {
    reason ??= socketErrorText(error)
  })
  socket.on("end", () => {
    reason ??= "the other side closed the connection"
  })
  const ended = (): void => listener.closed(reason ?? "the connection was lost")
  // It may have been lost between connecting and this moment.
  if (socket.closed) process.nextTick(ended)
  else socket.on("close", ended)
  if (early !== undefined && early.length > 0) socket.unshift(early)
  socket.on("data", (bytes: Buffer) => {
    if (!socket.destroyed) listener.received(plain(bytes))
  })
  if (isHeld) socket.pause()
  else socket.resume()
  return connection
}
