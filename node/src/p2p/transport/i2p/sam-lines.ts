import { concatBytes } from "@lockstep/kernel/bytes"

/** A router's longest line: it holds a private key. */
const LONGEST_LINE = 65_536

const newline = "\n".charCodeAt(0)

/** Cuts lines out of what a router sends. Behind the last line that is asked for may stand bytes of a peer. */
export interface SamLines {
  /** Keeps bytes; answers whether the line that begins with them may still become one. */
  readonly add: (bytes: Uint8Array) => boolean
  /** The next line, once all of it is there. */
  readonly next: () => string | undefined
  /** What has come behind the lines. */
  readonly rest: () => Uint8Array
}

export const samLines = (): SamLines => {
  let held: Uint8Array = new Uint8Array()
  return {
    add: (bytes) => {
      held = concatBytes([held, bytes])
      const end = held.indexOf(newline)
      return end <= LONGEST_LINE && (end >= 0 || held.length <= LONGEST_LINE)
    },
    next: () => {
      const end = held.indexOf(newline)
      if (end < 0) return undefined
      const line = Buffer.from(held.subarray(0, end)).toString("latin1").replace(/\r$/, "")
      held = held.slice(end + 1)
      return line
    },
    rest: () => held
  }
}
