import { concatBytes } from "@lockstep/kernel/bytes"

/** A reply of Tor: its code, and the text behind the code in each line. */
export interface ControlReply {
  readonly code: number
  readonly lines: ReadonlyArray<string>
}

/** The result of some bytes: whole replies, in order, and the fault that ends reading, if any. */
export interface ReplyFeed {
  readonly replies: ReadonlyArray<ControlReply>
  readonly fault: string | undefined
}

/** Splits the bytes that Tor sends, in any pieces, into replies. */
export interface ReplyDecoder {
  readonly feed: (bytes: Uint8Array) => ReplyFeed
  /** Number of bytes and characters held of an incomplete reply. */
  readonly held: () => number
}

/** Limits of Bitcoin Core; Tor's own replies are far shorter. */
const LONGEST_LINE = 100_000
const MOST_LINES = 1_000

/** First code of asynchronous replies, about events. */
const FIRST_EVENT_CODE = 600

/** Three digits, and whether more lines (`-`), a block of data (`+`) or nothing (a space) follows. */
const LINE = /^(\d{3})([ +-])(.*)$/s

const newline = "\n".charCodeAt(0)

/** Makes the client side of Tor's control protocol: lines that end in CR LF, in bounded memory. */
export const replyDecoder = (): ReplyDecoder => {
  let rest: Uint8Array = new Uint8Array()
  let lines: Array<string> = []
  let characters = 0
  let isInData = false
  let fault: string | undefined

  const fail = (reason: string): undefined => {
    fault = reason
    rest = new Uint8Array()
    lines = []
    characters = 0
    return undefined
  }

  const keep = (text: string): void => {
    lines.push(text)
    characters += text.length
  }

  const take = (line: string): ControlReply | undefined => {
    if (lines.length >= MOST_LINES) return fail("Tor's reply has too many lines")
    if (isInData) {
      isInData = line !== "."
      if (isInData) keep(line.startsWith("..") ? line.slice(1) : line)
      return undefined
    }
    const [, code, mark, text] = LINE.exec(line) ?? []
    if (code === undefined) return fail("what answers there does not speak Tor's control protocol")
    keep(text!)
    isInData = mark === "+"
    if (mark !== " ") return undefined
    const reply = { code: Number(code), lines }
    lines = []
    characters = 0
    return reply.code < FIRST_EVENT_CODE ? reply : undefined
  }

  /** Removes and returns the next line, if it is complete. */
  const nextLine = (): string | undefined => {
    const end = rest.indexOf(newline)
    if (end > LONGEST_LINE || (end < 0 && rest.length > LONGEST_LINE)) {
      return fail("Tor's reply has a line that is too long")
    }
    if (end < 0) return undefined
    const line = Buffer.from(rest.subarray(0, end)).toString("latin1").replace(/\r$/, "")
    rest = rest.subarray(end + 1)
    return line
  }

  return {
    feed: (bytes) => {
      const replies: Array<ControlReply> = []
      if (fault !== undefined) return { replies, fault }
      rest = concatBytes([rest, bytes])
      for (let line = nextLine(); line !== undefined; line = nextLine()) {
        const reply = take(line)
        if (reply !== undefined) replies.push(reply)
      }
      return { replies, fault }
    },
    held: () => rest.length + characters
  }
}
