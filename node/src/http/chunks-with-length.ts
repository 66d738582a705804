import type { Server } from "node:http"
import type { Socket } from "node:net"
import { type ParserError, readFrom } from "./resumed-connection.ts"

/** What the parser of Node.js says of a request that has both a length and chunks. */
const BOTH = new Set(["HPE_INVALID_TRANSFER_ENCODING", "HPE_INVALID_CONTENT_LENGTH"])

const CHUNKED = /\r\ntransfer-encoding:[ \t]*chunked[ \t]*(?=\r\n)/i
const LENGTH = /\r\ncontent-length:[^\r\n]*/gi
const END_OF_HEAD = "\r\n\r\n"

/** The bytes of a request without its length, where it has one beside chunks and they begin with its head. */
const mended = ({ bytesParsed = 0, code = "", rawPacket }: ParserError): Buffer | undefined => {
  const end = rawPacket?.indexOf(END_OF_HEAD) ?? -1
  if (rawPacket === undefined || !BOTH.has(code) || end < 0 || bytesParsed > end + END_OF_HEAD.length) return undefined
  // With the line end before the first header, and that behind the last.
  const head = rawPacket.subarray(0, end + 2).toString("latin1")
  if (!CHUNKED.test(head) || head.search(LENGTH) < 0) return undefined
  return Buffer.concat([Buffer.from(head.replaceAll(LENGTH, ""), "latin1"), rawPacket.subarray(end + 2)])
}

/**
 * Lets the server read a request again by its chunks alone, as RFC 9112 (6.3) has it. The parser refuses one that has a
 * length as well; false: it is another error. The sender can only smuggle something past a program before
 * this one that believes the length.
 */
export const readByChunks = (server: Server, error: Error, socket: Socket): boolean => {
  const first = mended(error as ParserError)
  if (first === undefined) return false
  readFrom(server, socket, first)
  return true
}
