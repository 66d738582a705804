import { type Milliseconds, type UnixMilliseconds, unixMilliseconds } from "../../../quantities.ts"
import { dueHeap } from "../../basics/due-heap.ts"

/** Time that passes only on request. */
export interface VirtualClock {
  readonly now: () => UnixMilliseconds
  /**
   * Does it after so many milliseconds; the answer cancels it. What is due at the same time is done in order of asking.
   */
  readonly after: (delay: Milliseconds, act: () => void) => () => void
  /** When the next thing is due. */
  readonly nextAt: () => number | undefined
  /** Goes on to this time, doing what is due on the way. */
  readonly advanceTo: (time: number) => void
}

interface Deed {
  readonly act: () => void
  isTakenBack: boolean
}

export const virtualClock = (start: number): VirtualClock => {
  const heap = dueHeap<Deed>()
  let time = start
  const nextAt = (): number | undefined => {
    for (let first = heap.first(); first !== undefined; first = heap.first()) {
      if (!first.thing.isTakenBack) return first.at
      heap.popDue(first.at)
    }
    return undefined
  }
  return {
    now: () => unixMilliseconds(time),
    after: (delay, act) => {
      const deed: Deed = { act, isTakenBack: false }
      heap.push(time + Math.max(0, delay), deed)
      return () => {
        deed.isTakenBack = true
      }
    },
    nextAt,
    advanceTo: (target) => {
      for (let at = nextAt(); at !== undefined && at <= target; at = nextAt()) {
        time = Math.max(time, at)
        heap.popDue(at)!.act()
      }
      time = Math.max(time, target)
    }
  }
}
