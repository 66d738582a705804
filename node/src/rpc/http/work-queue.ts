/** Requests that are being received, run or answered. */
export interface WorkQueue {
  /** Lets one more in, unless there are too many; whoever is let in says once when it is done. */
  readonly enter: () => boolean
  readonly leave: () => void
  /** Calls back once nobody is left. */
  readonly whenEmpty: (done: () => void) => void
}

export const workQueue = (depth: number): WorkQueue => {
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
    whenEmpty: (done) => {
      if (inside === 0) done()
      else waiting.push(done)
    }
  }
}
