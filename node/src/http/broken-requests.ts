import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

/** Bytes of a request line and all headers together. */
export const MAX_HEAD_BYTES = 8_192

/** The spaces of the request line, its version and its end, and the empty line behind the headers. */
const FRAME_BYTES = " HTTP/1.1\r\n".length + " ".length + "\r\n".length

/** `: ` and the end of the line. */
const HEADER_FRAME_BYTES = 4

/** Node's own limit counts names and values alone: many small headers have as many bytes again between them. */
export const hasLongHead = ({ method = "", rawHeaders, url = "" }: IncomingMessage): boolean => {
  let size = method.length + url.length + FRAME_BYTES + (rawHeaders.length / 2) * HEADER_FRAME_BYTES
  for (const text of rawHeaders) size += text.length
  return size > MAX_HEAD_BYTES
}

const BAD_REQUEST = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

/** The answer to `CONNECT`: nothing is tunnelled. */
export const METHOD_NOT_ALLOWED =
  "HTTP/1.1 405 Method Not Allowed\r\nAllow: POST\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

const NOT_IN_TIME = "ERR_HTTP_REQUEST_TIMEOUT"

const mayAnswer = (socket: Duplex, last: ServerResponse | undefined): boolean =>
  socket.writable && (last === undefined || last.writableFinished || !last.headersSent)

/**
 * Ends a connection on which something came that is no request, with status 400. Where a request did not come to its
 * end in time, it ends the connection without a word. `last`: the latest answer on this connection.
 */
export const endBroken = ({ code }: NodeJS.ErrnoException, socket: Duplex, last: ServerResponse | undefined): void => {
  if (code !== NOT_IN_TIME && mayAnswer(socket, last)) socket.write(BAD_REQUEST)
  socket.destroy()
}
