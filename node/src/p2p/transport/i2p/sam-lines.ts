import { concatBytes } from "@lockstep/kernel/bytes"

/** Maximum length of a router's line, which may contain a private key. */
const LONGEST_LINE = 65_536

const newline = "\n".charCodeAt(0)

/** Splits the bytes that a router sends into lines. Bytes of a peer may follow the last requested line. */
export interface SamLines {
  /** Adds bytes. Returns false if the current line is too long. */
  readonly add: (bytes: Uint8Array) => boolean
  /** Returns the next line, or `undefined` until it is complete. */
  readonly next: () => string | undefined
  /** Returns the bytes behind the lines. */
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
