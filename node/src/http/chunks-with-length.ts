import type { Server } from "node:http"
import type { Socket } from "node:net"
import { type ParserError, readFrom } from "./resumed-connection.ts"

/** Errors of Node.js's parser for a request that has both a length and chunks. */
const BOTH = new Set(["HPE_INVALID_TRANSFER_ENCODING", "HPE_INVALID_CONTENT_LENGTH"])

const CHUNKED = /\r\ntransfer-encoding:[ \t]*chunked[ \t]*(?=\r\n)/i
const LENGTH = /\r\ncontent-length:[^\r\n]*/gi
const END_OF_HEAD = "\r\n\r\n"

/** Removes the length from a request that also has chunks, or returns `undefined` if the bytes are no such request. */
const mended = ({ bytesParsed = 0, code = "", rawPacket }: ParserError): Buffer | undefined => {
  const end = rawPacket?.indexOf(END_OF_HEAD) ?? -1
  if (rawPacket === undefined || !BOTH.has(code) || end < 0 || bytesParsed > end + END_OF_HEAD.length) return undefined
  // Includes the line ends before the first and after the last header.
  const head = rawPacket.subarray(0, end + 2).toString("latin1")
  if (!CHUNKED.test(head) || head.search(LENGTH) < 0) return undefined
  return Buffer.concat([Buffer.from(head.replaceAll(LENGTH, ""), "latin1"), rawPacket.subarray(end + 2)])
}

/**
 * Makes the server read a request again by its chunks alone, as RFC 9112 (6.3) requires; Node.js's parser refuses a
 * request that also has a length. Returns false if the error has another cause. Request smuggling is possible only past
 * a proxy that trusts the length.
 */
export const readByChunks = (server: Server, error: Error, socket: Socket): boolean => {
  const first = mended(error as ParserError)
  if (first === undefined) return false
  readFrom(server, socket, first)
  return true
}
