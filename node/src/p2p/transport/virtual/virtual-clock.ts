import { type Milliseconds, type UnixMilliseconds, unixMilliseconds } from "../../../quantities.ts"
import { dueHeap } from "../../basics/due-heap.ts"

/** Time that passes only on request. */
export interface VirtualClock {
  readonly now: () => UnixMilliseconds
  /**
   * Schedules an action after so many milliseconds. Returns the function that cancels it. Actions due at the same time
   * run in the order of scheduling.
   */
  readonly after: (delay: Milliseconds, act: () => void) => () => void
  /** Returns the time of the next action, or `undefined` if none is scheduled. */
  readonly nextAt: () => number | undefined
  /** Advances to this time, and runs the actions that are due. */
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
