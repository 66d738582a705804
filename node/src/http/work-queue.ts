/** Slot of a running call. */
export interface QueueSlot {
  /** Releases the slot to other calls while this one only waits. Returns false if too many calls wait already. */
  readonly stepAside: () => boolean
  /** Takes a slot again, even if other calls have taken all slots meanwhile. */
  readonly stepBack: () => void
  /** Marks the call as abandoned by its client. It still runs until it {@link leave}s. */
  readonly abandon: () => void
  readonly leave: () => void
}

/** Counts running calls. */
interface Counter {
  readonly entered: () => void
  readonly left: () => void
}

/** Requests that are being received, run or answered. */
export interface WorkQueue {
  /** Returns a slot for a call whose request is complete, or `undefined` if too many calls run. */
  readonly enter: (counter?: Counter) => QueueSlot | undefined
  /**
   * Counts an accepted request. {@link closed} is called once, when its answer is sent or its client has disconnected.
   */
  readonly opened: () => void
  readonly closed: () => void
  /**
   * Reserves memory for a request or its answer. Returns false if too much is held already. The caller releases it.
   * `isSmall` means that the request holds little in all.
   */
  readonly hold: (bytes: number, isSmall?: boolean) => boolean
  readonly release: (bytes: number) => void
  /** Calls back once no request is left. */
  readonly whenEmpty: (done: () => void) => void
}

/** Bytes that all pending requests and answers may hold, raised if a single request may be about as long. */
const HELD_BYTES = 256 * 1024 * 1024

/** Bytes of a request that is still accepted when other requests hold all memory. */
export const SMALL_BYTES = 16 * 1024

/** Bytes reserved for small requests: as many as there are connections. */
const SMALL_RESERVE = 4_096 * SMALL_BYTES

/** Maximum number of calls that only wait, for example for a block. */
export const MOST_WAITING = 1_024

/** Abandoned calls that may go on per slot, since they cannot be stopped halfway. */
const ABANDONED_PER_PLACE = 3

type State = "running" | "waiting" | "abandoned"

/**
 * Returns a work queue. With `"in their places"`, waiting calls keep their slots as in Bitcoin Core, instead of being
 * counted apart.
 */
export const workQueue = (
  depth: number,
  longestRequest = 0,
  mostWaiting: number | "in their places" = MOST_WAITING
): WorkQueue => {
  const most = Math.max(HELD_BYTES, 2 * longestRequest)
  const counts: Record<State, number> = { running: 0, waiting: 0, abandoned: 0 }
  let held = 0
  let open = 0
  let whenClosed: Array<() => void> = []

  const placeFor = (counter: Counter | undefined): QueueSlot => {
    let state: State | undefined
    const become = (next: State | undefined): void => {
      if (state !== undefined) counts[state]--
      if (state === "running") counter?.left()
      state = next
      if (next !== undefined) counts[next]++
      if (next === "running") counter?.entered()
    }
    become("running")
    return {
      stepAside: () => {
        if (mostWaiting === "in their places") return state === "running"
        if (state !== "running" || counts.waiting >= mostWaiting) return false
        become("waiting")
        return true
      },
      stepBack: () => {
        if (state === "waiting") become("running")
      },
      abandon: () => {
        if (state === "running") become("abandoned")
      },
      leave: () => become(undefined)
    }
  }

  return {
    enter: (counter) =>
      counts.running < depth && counts.running + counts.abandoned < depth * (1 + ABANDONED_PER_PLACE)
        ? placeFor(counter)
        : undefined,
    opened: () => void open++,
    closed: () => {
      open--
      if (open > 0) return
      const called = whenClosed
      whenClosed = []
      for (const each of called) each()
    },
    hold: (bytes, isSmall = false) => {
      if (held + bytes > (isSmall ? most + SMALL_RESERVE : most)) return false
      held += bytes
      return true
    },
    release: (bytes) => {
      held -= bytes
    },
    whenEmpty: (done) => {
      if (open === 0) done()
      else whenClosed.push(done)
    }
  }
}
