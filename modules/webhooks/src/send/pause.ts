/** A pause that may be ended before its time. */
export interface Pause {
  /** Resolves after so many milliseconds, or once it is ended. */
  readonly wait: (ms: number) => Promise<void>
  readonly end: () => void
  /** Milliseconds since the epoch at which it ends; none: there is none. */
  readonly until: () => number | undefined
}

export const openPause = (): Pause => {
  let until: number | undefined
  let end: (() => void) | undefined
  return {
    wait: (ms) => {
      until = Date.now() + ms
      return new Promise((resolve) => {
        const timer = setTimeout(() => end?.(), ms)
        end = () => {
          clearTimeout(timer)
          until = undefined
          resolve()
        }
      })
    },
    end: () => end?.(),
    until: () => until
  }
}

const FIRST_MS = 1_000

/** How long to wait after failures in a row: doubled with each, less up to a quarter so that hooks do not keep step. */
export const pauseAfter = (failures: number, longestMs: number, random: () => number = Math.random): number => {
  const whole = Math.min(longestMs, FIRST_MS * 2 ** Math.min(failures - 1, 30))
  return Math.round(whole * (1 - random() / 4))
}
