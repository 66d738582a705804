import type { Server } from "node:http"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"

/** Report of Node.js's parser about bytes that it rejects. */
export interface ParserError extends NodeJS.ErrnoException {
  /** The bytes of the last read, including those that the parser rejects. */
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

type Change = (chunk: Buffer) => Buffer

const unchanged: Change = (chunk) => chunk

/** Returns a connection that begins with `first`; later bytes pass through `changed`. */
const resumed = (socket: Socket, first: Buffer, changed: Change): Duplex => {
  const connection = new Duplex({
    read: () => void socket.resume(),
    write: (chunk, encoding, done) => void socket.write(chunk as Uint8Array, encoding, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    }
  })
  // Members that a server uses besides reading and writing.
  Object.assign(connection, {
    remoteAddress: socket.remoteAddress,
    setTimeout: (milliseconds: number) => {
      socket.setTimeout(milliseconds)
      return connection
    }
  })
  socket.on("timeout", () => void connection.emit("timeout"))
  connection.push(first)
  socket.on("data", (chunk: Buffer) => {
    const bytes = changed(chunk)
    if (bytes.length > 0 && !connection.push(bytes)) socket.pause()
  })
  socket.on("end", () => void connection.push(null))
  socket.on("close", () => void connection.destroy())
  return connection
}

/** Makes the server read a connection again, starting with `first` in place of the bytes that its parser rejected. */
export const readFrom = (server: Server, socket: Socket, first: Buffer, changed = unchanged): void => {
  // The parser that failed reads no more of it.
  for (const event of ["data", "end", "close", "drain", "timeout"]) socket.removeAllListeners(event)
  server.emit("connection", resumed(socket, first, changed))
}
