import type { LogRecord } from "./log-record.ts"
import { MILLISECONDS } from "../units.ts"

/** Bytes that one log statement may write in an hour before it is silenced: a peer must not fill the disk. */
export const BYTES_AN_HOUR = 1_048_576

interface Budget {
  windowStart: number
  used: number
  dropped: number
}

/** The decision about a line. */
export type Ruling =
  | { readonly _tag: "Write" }
  | { readonly _tag: "Drop" }
  /** Write a line about the silence instead; this is the first line dropped. */
  | { readonly _tag: "Silence" }
  /** Write it, preceded by the number of dropped lines. */
  | { readonly _tag: "Resume"; readonly dropped: number }

const WRITE: Ruling = { _tag: "Write" }

/**
 * Decides line by line, by category and message, which identify the log statement. Debug lines are never dropped: an
 * operator who enables them wants them all.
 */
export const rateLimit = (bytesAnHour = BYTES_AN_HOUR): (record: LogRecord, bytes: number) => Ruling => {
  const budgets = new Map<string, Budget>()
  return ({ category, level, message, time }, bytes) => {
    if (level === "trace" || level === "debug") return WRITE
    const now = time.getTime()
    const key = `${category}\n${message}`
    const budget = budgets.get(key)
    if (budget === undefined || now - budget.windowStart >= MILLISECONDS.hour) {
      budgets.set(key, { windowStart: now, used: bytes, dropped: 0 })
      return budget === undefined || budget.dropped === 0 ? WRITE : { _tag: "Resume", dropped: budget.dropped }
    }
    budget.used += bytes
    if (budget.used <= bytesAnHour) return WRITE
    budget.dropped++
    return budget.dropped === 1 ? { _tag: "Silence" } : { _tag: "Drop" }
  }
}
