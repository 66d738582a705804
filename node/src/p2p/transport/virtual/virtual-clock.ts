/** Time that only passes when it is told to. */
export interface VirtualClock {
  readonly now: () => number
  /** Does it after so many milliseconds; the answer takes it back. What is due at the same time is done in order of asking. */
  readonly after: (delay: number, act: () => void) => () => void
  /** When the next thing is due. */
  readonly nextAt: () => number | undefined
  /** Goes on to this time, doing what is due on the way. */
  readonly advanceTo: (time: number) => void
}

interface Due {
  readonly at: number
  readonly order: number
  readonly act: () => void
  isTakenBack: boolean
}

const isBefore = (a: Due, b: Due): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** A heap: the first due on top. */
const push = (heap: Array<Due>, due: Due): void => {
  let i = heap.push(due) - 1
  while (i > 0) {
    const parent = (i - 1) >> 1
    if (!isBefore(due, heap[parent]!)) break
    heap[i] = heap[parent]!
    i = parent
  }
  heap[i] = due
}

const pop = (heap: Array<Due>): Due | undefined => {
  const first = heap[0]
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return first
  let i = 0
  for (;;) {
    let child = 2 * i + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
    if (!isBefore(heap[child]!, last)) break
    heap[i] = heap[child]!
    i = child
  }
  heap[i] = last
  return first
}

export const virtualClock = (start: number): VirtualClock => {
  const heap: Array<Due> = []
  let time = start
  let order = 0
  const nextAt = (): number | undefined => {
    while (heap[0]?.isTakenBack === true) pop(heap)
    return heap[0]?.at
  }
  return {
    now: () => time,
    after: (delay, act) => {
      const due: Due = { at: time + Math.max(0, delay), order: order++, act, isTakenBack: false }
      push(heap, due)
      return () => {
        due.isTakenBack = true
      }
    },
    nextAt,
    advanceTo: (target) => {
      for (let at = nextAt(); at !== undefined && at <= target; at = nextAt()) {
        time = Math.max(time, at)
        pop(heap)!.act()
      }
      time = Math.max(time, target)
    }
  }
}
