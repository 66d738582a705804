import { MAX_HEAD_BYTES } from "./broken-requests.ts"

const LF = 0x0a
const CR = 0x0d
const END = Buffer.from("\r\n")

/** Kind of the next bytes. */
type Part =
  | { readonly _tag: "Head" | "Size" | "Trailer"; readonly line: Buffer }
  /** Bytes that pass unchanged, and the part that follows them. */
  | { readonly _tag: "Body"; left: number; readonly next: "Head" | "Size" }
  | { readonly _tag: "Unknown" }

const NO_BYTES = Buffer.alloc(0)

const LENGTH = /^content-length:[ \t]*(\d{1,15})[ \t]*$/i
const CHUNKED = /^transfer-encoding:[ \t]*chunked[ \t]*$/i
const CHUNK = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?$/i

/** Facts in a head about the body after it. */
interface Head {
  length: number
  isChunked: boolean
  /** False before the first line: empty lines before a request do not end its head. */
  isBegun: boolean
}

const NEW_HEAD: Head = { length: 0, isChunked: false, isBegun: false }

/** Returns the part after the line with a chunk's size, or after the empty line that ends a chunk. */
const afterSize = (text: string): Part => {
  if (text === "") return { _tag: "Size", line: NO_BYTES }
  const size = CHUNK.exec(text)?.[1]
  if (size === undefined) return { _tag: "Unknown" }
  const left = Number.parseInt(size, 16)
  return left === 0 ? { _tag: "Trailer", line: NO_BYTES } : { _tag: "Body", left, next: "Size" }
}

/** Returns the part after a line of a head, and records the line in `head`. */
const afterHeader = (text: string, head: Head): Part => {
  if (text !== "" || !head.isBegun) {
    head.isBegun ||= text !== ""
    head.length = Number(LENGTH.exec(text)?.[1] ?? head.length)
    head.isChunked ||= CHUNKED.test(text)
    return { _tag: "Head", line: NO_BYTES }
  }
  const { isChunked, length: left } = head
  Object.assign(head, NEW_HEAD)
  if (isChunked) return { _tag: "Size", line: NO_BYTES }
  return left > 0 ? { _tag: "Body", left, next: "Head" } : { _tag: "Head", line: NO_BYTES }
}

/**
 * Returns a function that ends each line of heads, chunk sizes and trailers with `\r\n` where it has `\n` alone. Bodies
 * pass unchanged. From invalid bytes on, everything passes unchanged, and the parser rejects it.
 */
export const lineEnds = (): (chunk: Buffer) => Buffer => {
  let part: Part = { _tag: "Head", line: NO_BYTES }
  const head = { ...NEW_HEAD }

  const after = (text: string, tag: "Head" | "Size" | "Trailer"): Part => {
    if (tag === "Size") return afterSize(text)
    if (tag === "Head") return afterHeader(text, head)
    return { _tag: text === "" ? "Head" : "Trailer", line: NO_BYTES }
  }

  return (chunk) => {
    const pieces: Array<Buffer> = []
    let rest = chunk
    while (rest.length > 0 && part._tag !== "Unknown") {
      if (part._tag === "Body") {
        const taken = rest.subarray(0, part.left)
        pieces.push(taken)
        rest = rest.subarray(taken.length)
        part.left -= taken.length
        if (part.left === 0) part = { _tag: part.next, line: NO_BYTES }
        continue
      }
      const end = rest.indexOf(LF)
      const line: Buffer = Buffer.concat([part.line, end < 0 ? rest : rest.subarray(0, end)])
      rest = end < 0 ? NO_BYTES : rest.subarray(end + 1)
      if (end >= 0) {
        const text = line.at(-1) === CR ? line.subarray(0, -1) : line
        pieces.push(text, END)
        part = after(text.toString("latin1"), part._tag)
      } else if (line.length <= MAX_HEAD_BYTES) part = { _tag: part._tag, line }
      else {
        pieces.push(line)
        part = { _tag: "Unknown" }
      }
    }
    return Buffer.concat([...pieces, rest])
  }
}
