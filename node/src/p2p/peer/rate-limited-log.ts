import type { Moment } from "../../quantities.ts"
import type { P2pNotifications } from "../basics/p2p-notifications.ts"

/**
 * Lines of one kind that are written within {@link WINDOW}; CVE-2025-54604: no peer can fill the disk with log lines.
 */
export const LINES = 20
/** Milliseconds. */
export const WINDOW = 60_000

/**
 * Writes a line, unless there were many of its kind lately: then how many were left out is said once the window is
 * over.
 */
export type RateLimitedLog = (kind: string, ...line: Parameters<P2pNotifications["log"]>) => void

interface Window {
  since: Moment
  written: number
  leftOut: number
}

/** A log of few lines. `kind` comes from the program, never from a peer: there is memory for each. */
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
