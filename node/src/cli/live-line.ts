import { type ReadClock } from "../clock.ts"
import type { Screen } from "./progress.ts"

const LINE_INTERVAL_MS = 10_000

/** A line that says how things are now. */
export interface LiveLine {
  /** Where there is no terminal, a line is written now and then, and whenever `part` changes. */
  readonly show: (text: string, part: string) => void
  /** Nothing follows: ends the line. */
  readonly end: () => void
}

/** Stays in place on a terminal, and is cut where that is too narrow for it. */
export const liveLine = (
  screen: Screen & { readonly columns?: number },
  now: ReadClock
): LiveLine => {
  let shown = Number.NEGATIVE_INFINITY
  let last: string | undefined
  let pending = false
  return {
    show: (text, part) => {
      if (screen.isTTY === true) {
        screen.write(`\r\u001B[K${text.slice(0, Math.max(20, (screen.columns ?? 200) - 1))}`)
        pending = true
        return
      }
      if (part === last && now() - shown < LINE_INTERVAL_MS) return
      shown = now()
      last = part
      screen.write(`${text}\n`)
    },
    end: () => {
      if (pending) screen.write("\n")
      pending = false
    }
  }
}
