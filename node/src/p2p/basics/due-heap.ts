import type { Moment } from "../../quantities.ts"

/** Entries ordered by due time, the earliest on top. */
export interface DueHeap<A> {
  readonly push: (at: Moment, thing: A) => void
  /** Removes and returns the first entry that is due by `now`. */
  readonly popDue: (now: Moment) => A | undefined
  /** Returns the first entry and its due time, whether it is due or not. */
  readonly first: () => { readonly at: Moment; readonly thing: A } | undefined
  readonly size: () => number
  /** Removes the entries that are no longer wanted. */
  readonly keep: (isWanted: (thing: A) => boolean) => void
}

interface Due<A> {
  readonly at: Moment
  readonly order: number
  readonly thing: A
}

const isBefore = (a: Due<unknown>, b: Due<unknown>): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** Makes a binary heap. Entries due at the same time come in the order of pushing. */
export const dueHeap = <A>(): DueHeap<A> => {
  const heap: Array<Due<A>> = []
  let order = 0

  const sink = (last: Due<A>): void => {
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
  }
  return {
    push: (at, thing) => {
      const due = { at, order: order++, thing }
      let i = heap.push(due) - 1
      while (i > 0) {
        const parent = (i - 1) >> 1
        if (!isBefore(due, heap[parent]!)) break
        heap[i] = heap[parent]!
        i = parent
      }
      heap[i] = due
    },
    popDue: (now) => {
      const first = heap[0]
      if (first === undefined || first.at > now) return undefined
      const last = heap.pop()!
      if (heap.length > 0) sink(last)
      return first.thing
    },
    first: () => heap[0],
    size: () => heap.length,
    keep: (isWanted) => {
      // A sorted array is a heap.
      const kept = heap.filter(({ thing }) => isWanted(thing)).sort((a, b) => a.at - b.at || a.order - b.order)
      heap.length = 0
      for (const due of kept) heap.push(due)
    }
  }
}
