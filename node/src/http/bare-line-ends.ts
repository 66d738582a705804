import type { Server } from "node:http"
import type { Socket } from "node:net"
import { lineEnds } from "./line-ends.ts"
import { type ParserError, readFrom } from "./resumed-connection.ts"

/** Errors of Node.js's parser for a line that ends in `\n` alone. The error depends on the position in the head. */
const BARE = new Set(["HPE_CR_EXPECTED", "HPE_INVALID_HEADER_TOKEN", "HPE_INVALID_VERSION"])

const REQUEST_LINE = /^[A-Z]+ [^\s]+ HTTP\/1\.[01]\r?\n/

/** The empty line that ends a head. A line before it may end in `\n` alone. */
const END_OF_HEAD = /\r?\n\r?\n/
const BARE_END = /(?<!\r)\n/

/** Reports whether bytes begin with a request whose head has a line that ends in `\n` alone. */
const hasBareEnd = (bytes: Buffer): boolean => {
  const text = bytes.toString("latin1")
  if (!REQUEST_LINE.test(text)) return false
  const end = END_OF_HEAD.exec(text)
  return BARE_END.test(end === null ? text : text.slice(0, end.index + end[0].length))
}

/**
 * Makes the server read a request again whose lines end in `\n` alone. RFC 9112 (2.2) allows such lines, which people
 * type and scripts write. Returns false if the error has another cause.
 */
export const readBareLines = (server: Server, error: Error, socket: Socket): boolean => {
  const { code = "", rawPacket } = error as ParserError
  if (rawPacket === undefined || !BARE.has(code) || !hasBareEnd(rawPacket)) return false
  const changed = lineEnds()
  readFrom(server, socket, changed(rawPacket), changed)
  return true
}
