import * as Effect from "effect/Effect"
import { ensuring } from "../../finalizers/finalizers.ts"

/** Pending work for a peer. Later messages of some kinds are processed meanwhile; the others wait for it. */
export interface PendingWork {
  /** Begins a piece of work at once. Returns the function that ends it, which may be called repeatedly. */
  readonly begin: () => () => void
  /** Runs a piece of work, which begins at once. */
  readonly run: (work: Effect.Effect<void>) => Effect.Effect<void>
  readonly isSettled: () => boolean
  /** Waits until no work is left. */
  readonly settled: Effect.Effect<void>
}

export const pendingWork = (): PendingWork => {
  let count = 0
  const waiting = new Set<() => void>()
  const begin = (): () => void => {
    let isOver = false
    count++
    return () => {
      if (isOver) return
      isOver = true
      if (--count > 0) return
      for (const resume of waiting) resume()
      waiting.clear()
    }
  }
  return {
    begin,
    run: (work) => Effect.suspend(() => ensuring(work, Effect.sync(begin()))),
    isSettled: () => count === 0,
    settled: Effect.callback((resume) => {
      if (count === 0) return resume(Effect.void)
      const go = (): void => resume(Effect.void)
      waiting.add(go)
      return Effect.sync(() => void waiting.delete(go))
    })
  }
}
