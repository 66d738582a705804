import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

/** Maximum size of the request line and all headers together, in bytes. */
export const MAX_HEAD_BYTES = 8_192

/** Bytes of the request line without method and URL, and of the empty line after the headers. */
const FRAME_BYTES = " HTTP/1.1\r\n".length + " ".length + "\r\n".length

/** Bytes of `: ` and of the line end. */
const HEADER_FRAME_BYTES = 4

/**
 * Reports whether a head is too long. Node.js's own limit counts only names and values, but the bytes between many
 * small headers are as many.
 */
export const hasLongHead = ({ method = "", rawHeaders, url = "" }: IncomingMessage): boolean => {
  let size = method.length + url.length + FRAME_BYTES + (rawHeaders.length / 2) * HEADER_FRAME_BYTES
  for (const text of rawHeaders) size += text.length
  return size > MAX_HEAD_BYTES
}

const BAD_REQUEST = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

/** Answer to `CONNECT`: nothing is tunnelled. */
export const METHOD_NOT_ALLOWED =
  "HTTP/1.1 405 Method Not Allowed\r\nAllow: POST\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

const NOT_IN_TIME = "ERR_HTTP_REQUEST_TIMEOUT"

const mayAnswer = (socket: Duplex, last: ServerResponse | undefined): boolean =>
  socket.writable && (last === undefined || last.writableFinished || !last.headersSent)

/**
 * Closes a connection after invalid bytes, with status 400. If a request timed out, it closes the connection without an
 * answer. `last` is the latest answer on this connection.
 */
export const endBroken = ({ code }: NodeJS.ErrnoException, socket: Duplex, last: ServerResponse | undefined): void => {
  if (code !== NOT_IN_TIME && mayAnswer(socket, last)) socket.write(BAD_REQUEST)
  socket.destroy()
}
