import type { Server } from "node:http"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"

/** What the parser of Node.js says of a request that has both a length and chunks. */
const BOTH = new Set(["HPE_INVALID_TRANSFER_ENCODING", "HPE_INVALID_CONTENT_LENGTH"])

const CHUNKED = /\r\ntransfer-encoding:[ \t]*chunked[ \t]*(?=\r\n)/i
const LENGTH = /\r\ncontent-length:[^\r\n]*/gi
const END_OF_HEAD = "\r\n\r\n"

interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/** The bytes of a request without its length, where it has one beside chunks and they begin with its head. */
const mended = ({ bytesParsed = 0, code = "", rawPacket }: ParserError): Buffer | undefined => {
  const end = rawPacket?.indexOf(END_OF_HEAD) ?? -1
  if (rawPacket === undefined || !BOTH.has(code) || end < 0 || bytesParsed > end + END_OF_HEAD.length) return undefined
  // With the line end before the first header, and that behind the last.
  const head = rawPacket.subarray(0, end + 2).toString("latin1")
  if (!CHUNKED.test(head) || head.search(LENGTH) < 0) return undefined
  return Buffer.concat([Buffer.from(head.replaceAll(LENGTH, ""), "latin1"), rawPacket.subarray(end + 2)])
}

/** A connection that has read these bytes already. */
const resumed = (socket: Socket, first: Buffer): Duplex => {
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
    if (!connection.push(chunk)) socket.pause()
  })
  socket.on("end", () => void connection.push(null))
  socket.on("close", () => void connection.destroy())
  return connection
}

/**
 * Lets the server read a request again by its chunks alone, as RFC 9112 (6.3) has it. The parser refuses one that has a
 * length as well; false: it is another error. The sender can only smuggle something past a program before
 * this one that believes the length.
 */
export const readByChunks = (server: Server, error: Error, socket: Socket): boolean => {
  const first = mended(error as ParserError)
  if (first === undefined) return false
  // The parser that has given up reads no more of it.
  for (const event of ["data", "end", "close", "drain", "timeout"]) socket.removeAllListeners(event)
  server.emit("connection", resumed(socket, first))
  return true
}
