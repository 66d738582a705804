import { type ReadClock } from "../clock.ts"
import type { Screen } from "./progress.ts"

const LINE_INTERVAL_MS = 10_000

/** A line that shows the present state. */
export interface LiveLine {
  /** Shows a text. Without a terminal it is written from time to time, and whenever `part` changes. */
  readonly show: (text: string, part: string) => void
  /** Ends the line, because no more texts follow. */
  readonly end: () => void
}

/** Makes a line that stays in place on a terminal and is cut to its width. */
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
