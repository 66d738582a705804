import type { Server } from "node:http"
import type { Socket } from "node:net"
import { lineEnds } from "./line-ends.ts"
import { type ParserError, readFrom } from "./resumed-connection.ts"

/** What the parser of Node.js says of a line that ends in `\n` alone: in each place of a head something else. */
const BARE = new Set(["HPE_CR_EXPECTED", "HPE_INVALID_HEADER_TOKEN", "HPE_INVALID_VERSION"])

const REQUEST_LINE = /^[A-Z]+ [^\s]+ HTTP\/1\.[01]\r?\n/

/** The empty line that ends a head, and a line that ends in `\n` alone before it. */
const END_OF_HEAD = /\r?\n\r?\n/
const BARE_END = /(?<!\r)\n/

/** Whether bytes begin with a request, and its head has a line that ends in `\n` alone. */
const hasBareEnd = (bytes: Buffer): boolean => {
  const text = bytes.toString("latin1")
  if (!REQUEST_LINE.test(text)) return false
  const end = END_OF_HEAD.exec(text)
  return BARE_END.test(end === null ? text : text.slice(0, end.index + end[0].length))
}

/**
 * Lets the server read a request again whose lines end in `\n` alone, which RFC 9112 (2.2) allows to take: people type
 * such requests, and scripts write them. False: it is another error.
 */
export const readBareLines = (server: Server, error: Error, socket: Socket): boolean => {
  const { code = "", rawPacket } = error as ParserError
  if (rawPacket === undefined || !BARE.has(code) || !hasBareEnd(rawPacket)) return false
  const changed = lineEnds()
  readFrom(server, socket, changed(rawPacket), changed)
  return true
}
