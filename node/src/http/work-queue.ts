/** A place among the calls that run. */
export interface QueueSlot {
  /** Gives the place to other calls while this one only waits. False: too many wait already. */
  readonly stepAside: () => boolean
  /** Runs again, also when other calls hold all places meanwhile. */
  readonly stepBack: () => void
  /** The client has gone; the call runs until it {@link leave}s. */
  readonly abandon: () => void
  readonly leave: () => void
}

/** Counts the calls that run. */
interface Counter {
  readonly entered: () => void
  readonly left: () => void
}

/** Requests that are being received, run or answered. */
export interface WorkQueue {
  /** A place for a call whose request is here; none: too many run. */
  readonly enter: (counter?: Counter) => QueueSlot | undefined
  /** A request is accepted; {@link closed} says once that its answer is out or its client gone. */
  readonly opened: () => void
  readonly closed: () => void
  /**
   * Sets memory aside for a request or its answer, unless too much is held already. The caller releases it.
   * `isSmall`: the request holds little, all in all.
   */
  readonly hold: (bytes: number, isSmall?: boolean) => boolean
  readonly release: (bytes: number) => void
  /** Calls back once no request is left. */
  readonly whenEmpty: (done: () => void) => void
}

/** What all requests and answers under way may hold, unless a single request may be about as long. */
const HELD_BYTES = 256 * 1024 * 1024

/** What one request may hold and still be accepted when other requests hold all there is. */
export const SMALL_BYTES = 16 * 1024

/** Beyond it: as many small ones as there are connections. */
const SMALL_RESERVE = 4_096 * SMALL_BYTES

/** Calls that do nothing but wait, for a block or the like. */
export const MOST_WAITING = 1_024

/** For each call that runs, so many may go on whose clients have gone: they cannot be stopped halfway. */
const ABANDONED_PER_PLACE = 3

type State = "running" | "waiting" | "abandoned"

/** Calls that wait may keep their places instead of being counted apart, as in Bitcoin Core. */
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
