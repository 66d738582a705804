import type { Moment } from "../../quantities.ts"
import type { P2pNotifications } from "../basics/p2p-notifications.ts"

/**
 * Maximum number of lines of one kind within {@link WINDOW}. So no peer can fill the disk with log lines
 * (CVE-2025-54604).
 */
export const LINES = 20
/** Milliseconds of a window. */
export const WINDOW = 60_000

/**
 * Writes a line, unless too many of its kind were written recently. The number of suppressed lines is logged once the
 * window is over.
 */
export type RateLimitedLog = (kind: string, ...line: Parameters<P2pNotifications["log"]>) => void

interface Window {
  since: Moment
  written: number
  leftOut: number
}

/** Makes a rate-limited log. `kind` comes from the program, never from a peer, as each kind takes memory. */
export const rateLimitedLog = (log: P2pNotifications["log"], now: () => number): RateLimitedLog => {
  const windows = new Map<string, Window>()
  return (kind, level, message, fields) => {
    const window = windows.get(kind) ?? { since: now(), written: 0, leftOut: 0 }
    windows.set(kind, window)
    if (now() - window.since >= WINDOW) {
      if (window.leftOut > 0) log(level, "more lines of the same kind were left out", { kind, lines: window.leftOut })
      Object.assign(window, { since: now(), written: 0, leftOut: 0 })
    }
    if (window.written >= LINES) {
      window.leftOut++
      return
    }
    window.written++
    log(level, message, fields)
  }
}
