/** A pause that can be ended early. */
export interface Pause {
  /** Resolves after this many milliseconds, or once it is ended. */
  readonly wait: (ms: number) => Promise<void>
  readonly end: () => void
  /** Returns the milliseconds since the epoch at which the pause ends, or `undefined` without a pause. */
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

/**
 * Returns the wait after consecutive failures. It doubles with each, less up to a quarter so that hooks do not
 * synchronize.
 */
export const pauseAfter = (failures: number, longestMs: number, random: () => number = Math.random): number => {
  const whole = Math.min(longestMs, FIRST_MS * 2 ** Math.min(failures - 1, 30))
  return Math.round(whole * (1 - random() / 4))
}
