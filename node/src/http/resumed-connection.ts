import type { Server } from "node:http"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"

/** What the parser of Node.js reports of bytes that it gives up on. */
export interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that came together, among them those that the parser gives up on. */
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

type Change = (chunk: Buffer) => Buffer

const unchanged: Change = (chunk) => chunk

/** A connection that has read `first` already; what it reads later is `changed`. */
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
  // What a server asks of its connections beside reading and writing.
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

/** Lets the server read a connection again, from these bytes on: its parser has given up on what was there instead. */
export const readFrom = (server: Server, socket: Socket, first: Buffer, changed = unchanged): void => {
  // The parser that has given up reads no more of it.
  for (const event of ["data", "end", "close", "drain", "timeout"]) socket.removeAllListeners(event)
  server.emit("connection", resumed(socket, first, changed))
}
