import type { Memory } from "../crash/load.ts"

type Tip = Memory["acknowledged"]

/** What a node had answered, and where in the log of the recorder that was. */
export interface Acknowledgements {
  /** A memory for a load: what it takes as answered is noted. */
  readonly memory: Memory
  /** The last tip that was answered for before a place in the log. */
  readonly at: (position: number) => Tip
}

/**
 * Notes where the log stands whenever an answer is there. What was answered had been done before that place, and what a
 * load gives up, before it asks for it, was not yet: so a cut at that place or behind must leave what is noted there.
 */
export const acknowledgements = (position: () => number): Acknowledgements => {
  const noted: Array<{ readonly position: number; readonly tip: Tip }> = []
  const none: Tip = { hash: "", work: 0n }
  const latest = (): Tip => noted.at(-1)?.tip ?? none
  return {
    memory: {
      blocks: new Map(),
      tips: new Set(),
      get acknowledged() {
        return latest()
      },
      set acknowledged(tip) {
        noted.push({ position: position(), tip })
      }
    },
    at: (end) => noted.findLast((each) => each.position <= end)?.tip ?? none
  }
}
