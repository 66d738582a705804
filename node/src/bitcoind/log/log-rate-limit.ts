const WINDOW_SECONDS = 3_600
const MOST_BYTES = 1_048_576

/** Decision about a line, with the warnings that it causes. */
export interface LimitVerdict {
  readonly isSuppressed: boolean
  /** True if any source is suppressed. */
  readonly isAnySuppressed: boolean
  /** Warnings to log before the line. */
  readonly notices: ReadonlyArray<string>
}

/** Counts the bytes that each source logs, so that no source can fill the disk. */
export interface LogRateLimit {
  readonly admit: (source: string, bytes: number, seconds: number) => LimitVerdict
}

interface Written {
  bytes: number
  dropped: number
}

/** Core: `LogRateLimiter`, which keeps peers from filling the disk. Each window starts at zero. */
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
        // The line that exceeds the limit is the last one written.
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
