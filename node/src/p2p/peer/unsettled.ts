import * as Effect from "effect/Effect"
import { ensuring } from "../../finalizers/finalizers.ts"

/** Work on earlier messages of a peer that goes on while later ones of the same kind are taken. */
export interface Unsettled {
  /** Does some of it, at once. */
  readonly run: (work: Effect.Effect<void>) => Effect.Effect<void>
  /** Waits until none is left. */
  readonly settled: Effect.Effect<void>
}

export const unsettled = (): Unsettled => {
  let count = 0
  const waiting = new Set<() => void>()
  const end = Effect.sync(() => {
    if (--count > 0) return
    for (const resume of waiting) resume()
    waiting.clear()
  })
  return {
    run: (work) =>
      Effect.suspend(() => {
        count++
        return ensuring(work, end)
      }),
    settled: Effect.callback((resume) => {
      if (count === 0) return resume(Effect.void)
      const go = (): void => resume(Effect.void)
      waiting.add(go)
      return Effect.sync(() => void waiting.delete(go))
    })
  }
}
