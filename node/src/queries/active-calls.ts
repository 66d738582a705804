import type { Moment } from "../quantities.ts"
import * as Effect from "effect/Effect"
import { type ReadClock } from "../clock.ts"
import { onExit } from "../finalizers/finalizers.ts"

/** A call that is not answered yet. */
export interface ActiveCall {
  readonly method: string
  /** Since it came. */
  readonly microseconds: number
}

/** The calls that are under way. */
export interface ActiveCalls {
  /** Oldest first. */
  readonly list: () => ReadonlyArray<ActiveCall>
  /** The same call, listed while it runs. */
  readonly during: <A, E>(method: string, call: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

export const activeCalls = (clock: ReadClock): ActiveCalls => {
  const running = new Set<{ readonly method: string; readonly since: Moment }>()
  return {
    list: () => {
      const now = clock()
      return [...running].map(({ method, since }) => ({ method, microseconds: Math.round((now - since) * 1_000) }))
    },
    during: (method, call) =>
      Effect.suspend(() => {
        const entry = { method, since: clock() }
        running.add(entry)
        return onExit(call, () => Effect.sync(() => void running.delete(entry)))
      })
  }
}
