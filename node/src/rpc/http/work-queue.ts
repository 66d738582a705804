/** Requests that are being received, run or answered. */
export interface WorkQueue {
  /** Lets one more in, unless there are too many; whoever is let in says once when it is done. */
  readonly enter: () => boolean
  readonly leave: () => void
  /** Sets memory aside for a request or its answer, unless too much is held already; whoever is given some gives it back. */
  readonly hold: (bytes: number) => boolean
  readonly release: (bytes: number) => void
  /** Calls back once nobody is left. */
  readonly whenEmpty: (done: () => void) => void
}

/** What all requests and answers under way may hold, unless a single request may be about as long. */
const HELD_BYTES = 256 * 1024 * 1024

export const workQueue = (depth: number, longestRequest = 0): WorkQueue => {
  const most = Math.max(HELD_BYTES, 2 * longestRequest)
  let held = 0
  let inside = 0
  let waiting: Array<() => void> = []
  return {
    enter: () => {
      if (inside >= depth) return false
      inside++
      return true
    },
    leave: () => {
      inside--
      if (inside > 0) return
      const called = waiting
      waiting = []
      for (const each of called) each()
    },
    hold: (bytes) => {
      if (held + bytes > most) return false
      held += bytes
      return true
    },
    release: (bytes) => {
      held -= bytes
    },
    whenEmpty: (done) => {
      if (inside === 0) done()
      else waiting.push(done)
    }
  }
}
