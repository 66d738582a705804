import { Duplex } from "node:stream"
import type { Milliseconds } from "../quantities.ts"
import type { NativeStream } from "./quic-binding.ts"

/** Bytes of one read. */
const READ_SIZE = 65_536

/** The other side of a connection. */
export interface QuicRemote {
  readonly remoteAddress: string
  readonly remotePort: number
  /** What its certificate has proved. */
  readonly identity: string
}

/** A stream as servers and clients of HTTP take a socket. */
export interface QuicSocket extends Duplex, QuicRemote {
  readonly setTimeout: (after: Milliseconds) => unknown
}

const identities = new WeakMap<object, string>()

/** The identity that the other side of a socket has proved; none: it is no stream of QUIC. */
export const provedIdentity = (socket: object): string | undefined => identities.get(socket)

/** A stream of a connection as a socket, which ends with it. */
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
      // Both fail where the connection is over already, which is what they are for.
      if (!socket.writableFinished) stream.resetWrite().catch(() => undefined)
      stream.stopRead().catch(() => undefined)
      done(cause)
    }
  })
  // A connection that breaks off is no fault of the node.
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
