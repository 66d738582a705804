const WINDOW_SECONDS = 3_600
const MOST_BYTES = 1_048_576

/** What becomes of a line, and what is to be said about it. */
export interface LimitVerdict {
  readonly isSuppressed: boolean
  /** Whether any source is held back. */
  readonly isAnySuppressed: boolean
  /** Warnings that precede the line. */
  readonly notices: ReadonlyArray<string>
}

/** Counts what each source writes without being asked to, so that none fills the disk. */
export interface LogRateLimit {
  readonly admit: (source: string, bytes: number, seconds: number) => LimitVerdict
}

interface Written {
  bytes: number
  dropped: number
}

/** Core: `LogRateLimiter`, which keeps the disk from what a peer can cause. Each window begins with nothing written. */
export const logRateLimit = (): LogRateLimit => {
  const sources = new Map<string, Written>()
  let began = -Infinity
  let suppressed = 0
  const restart = (seconds: number): ReadonlyArray<string> => {
    if (seconds - began < WINDOW_SECONDS) return []
    const notices = [...sources].filter(([, { dropped }]) => dropped > 0).map(([source, { dropped }]) =>
      `Restarting logging from ${source}: ${dropped} bytes were dropped during the last ${WINDOW_SECONDS}s.`
    )
    sources.clear()
    began = seconds
    suppressed = 0
    return notices
  }
  return {
    admit: (source, bytes, seconds) => {
      const notices = restart(seconds)
      const written = sources.get(source) ?? { bytes: 0, dropped: 0 }
      sources.set(source, written)
      written.bytes += bytes
      if (written.bytes <= MOST_BYTES) return { isSuppressed: false, isAnySuppressed: suppressed > 0, notices }
      const isNew = written.dropped === 0
      written.dropped += bytes
      if (isNew) suppressed++
      return {
        // The one that is too much is the last.
        isSuppressed: !isNew,
        isAnySuppressed: true,
        notices: isNew
          ? [
            ...notices,
            `Excessive logging detected from ${source}: >${MOST_BYTES} bytes logged during the last time window of ${WINDOW_SECONDS}s. Suppressing logging to disk from this source location until time window resets. Console logging unaffected. Last log entry.`
          ]
          : notices
      }
    }
  }
}
