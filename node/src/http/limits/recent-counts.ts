import type { Milliseconds, Moment } from "../../quantities.ts"

/** Counts of events per key within a time window. */
export interface RecentCounts {
  readonly add: (key: string, now: Moment) => number
  readonly count: (key: string, now: Moment) => number
  /** Returns the seconds until the window of a key ends. */
  readonly secondsLeft: (key: string, now: Moment) => number
  readonly forget: (key: string) => void
}

interface Window {
  count: number
  readonly since: Moment
}

const MOST_KEYS = 10_000

/** Returns counts whose window starts with the first event of a key and ends after `milliseconds`. */
export const recentCounts = (milliseconds: Milliseconds, most = MOST_KEYS): RecentCounts => {
  const windows = new Map<string, Window>()
  const current = (key: string, now: Moment): Window | undefined => {
    const window = windows.get(key)
    if (window === undefined || now - window.since < milliseconds) return window
    windows.delete(key)
    return undefined
  }
  return {
    add: (key, now) => {
      const window = current(key, now) ?? { count: 0, since: now }
      window.count++
      windows.set(key, window)
      if (windows.size > most) windows.delete(windows.keys().next().value!)
      return window.count
    },
    count: (key, now) => current(key, now)?.count ?? 0,
    secondsLeft: (key, now) => {
      const window = current(key, now)
      return window === undefined ? 0 : (window.since + milliseconds - now) / 1_000
    },
    forget: (key) => void windows.delete(key)
  }
}
