import { Duplex } from "node:stream"
import type { Milliseconds } from "../quantities.ts"
import type { NativeStream } from "./quic-binding.ts"

/** Maximum number of bytes of one read. */
const READ_SIZE = 65_536

/** The other side of a connection. */
export interface QuicRemote {
  readonly remoteAddress: string
  readonly remotePort: number
  /** The identity that its certificate has proved. */
  readonly identity: string
}

/** A stream in the form of a socket, for HTTP servers and clients. */
export interface QuicSocket extends Duplex, QuicRemote {
  readonly setTimeout: (after: Milliseconds) => unknown
}

const identities = new WeakMap<object, string>()

/** Returns the identity that the other side of a socket has proved, or `undefined` if it is no QUIC stream. */
export const provedIdentity = (socket: object): string | undefined => identities.get(socket)

/** Wraps a stream of a connection as a socket, which ends with the stream. */
export const quicSocket = (stream: NativeStream, remote: QuicRemote): QuicSocket => {
  let timer: NodeJS.Timeout | undefined
  const socket: Duplex = new Duplex({
    read: () => {
      stream.read(READ_SIZE).then((bytes) => {
        timer?.refresh()
        socket.push(bytes)
      }, (cause: Error) => void socket.destroy(cause))
    },
    write: (bytes: Uint8Array, _encoding, done) => {
      stream.write(bytes).then(() => {
        timer?.refresh()
        done()
      }, done)
    },
    final: (done) => void stream.finishWrite().then(() => done(), done),
    destroy: (cause, done) => {
      clearTimeout(timer)
      // Both fail if the connection is already closed, which is harmless.
      if (!socket.writableFinished) stream.resetWrite().catch(() => undefined)
      stream.stopRead().catch(() => undefined)
      done(cause)
    }
  })
  // A broken connection is no error of the node.
  socket.on("error", () => undefined)
  identities.set(socket, remote.identity)
  return Object.assign(socket, remote, {
    setTimeout: (after: Milliseconds) => {
      clearTimeout(timer)
      timer = after > 0 ? setTimeout(() => void socket.emit("timeout"), after) : undefined
      return socket
    }
  })
}
