import * as Result from "effect/Result"
import { GLOBAL } from "./rewrite.ts"

/** Thrown when a mutant loops on and on. */
export class Hang extends Error {}

/**
 * What rewritten modules call, and what the experiment reads. One per process: the modules find it by a global name.
 */
export interface Runtime {
  /** Switches `mutant` on (0: none) and computes everything that is computed at load anew. */
  readonly activate: (mutant: number) => void
  /** Loop turns left before {@link Hang} is thrown. */
  readonly allow: (turns: number) => void
  /** Loop turns since {@link Runtime.allow}. */
  readonly spent: () => number
  /** Mutants that would have made a difference since the last call. Only a survey collects them. */
  readonly takeSeen: () => ReadonlyArray<number>
  /** Mutants whose place was run since the last call, whether or not they made a difference. */
  readonly takeReached: () => ReadonlyArray<number>
}

type Thunk = (() => unknown) | 0

const differs = (value: unknown, thunk: Thunk): boolean => {
  if (thunk === 0) return true
  try {
    return !Object.is(value, thunk())
  } catch {
    return true
  }
}

const takeFrom = (marks: Uint8Array): ReadonlyArray<number> => {
  const taken: Array<number> = []
  for (let id = marks.indexOf(1); id >= 0; id = marks.indexOf(1, id + 1)) taken.push(id)
  marks.fill(0)
  return taken
}

/** Prepares this process for rewritten modules with mutants 1 to `count`; to be called before the first one loads. */
export const installRuntime = (count: number): Runtime => {
  const active = new Int32Array(1)
  const ticks = new Float64Array([Infinity])
  const seen = new Uint8Array(count + 1)
  const reached = new Uint8Array(count + 1)
  const loads: Array<() => void> = []
  let allowed = Infinity
  Object.defineProperty(globalThis, GLOBAL, {
    configurable: true,
    value: {
      $active: active,
      $ticks: ticks,
      $hang: () => {
        ticks[0] = Infinity
        throw new Hang("loops on and on")
      },
      $seen: (first: number, value: unknown, thunks: ReadonlyArray<Thunk>) => {
        for (let i = 0; i < thunks.length; i++) {
          const id = first + i
          reached[id] = 1
          if (seen[id] === 0 && differs(value, thunks[i]!)) seen[id] = 1
        }
        return value
      },
      $reached: (id: number) => {
        reached[id] = 1
        seen[id] = 1
      },
      $onLoad: (load: () => void) => loads.push(load),
      $HOLDS: Result.succeed(undefined)
    }
  })
  return {
    activate: (mutant) => {
      active[0] = mutant
      for (const load of loads) load()
    },
    allow: (turns) => {
      allowed = turns
      ticks[0] = turns
    },
    spent: () => allowed - ticks[0]!,
    takeSeen: () => takeFrom(seen),
    takeReached: () => takeFrom(reached)
  }
}
