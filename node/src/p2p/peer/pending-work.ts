import * as Effect from "effect/Effect"
import { ensuring } from "../../finalizers/finalizers.ts"

/** Work for a peer that goes on while later messages of some kinds are taken, and that the others wait for. */
export interface PendingWork {
  /** Some of it begins, at once; the answer ends it, and does nothing a second time. */
  readonly begin: () => () => void
  /** Does some of it, at once. */
  readonly run: (work: Effect.Effect<void>) => Effect.Effect<void>
  readonly isSettled: () => boolean
  /** Waits until none is left. */
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
