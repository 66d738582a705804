import type { Moment } from "../quantities.ts"
import * as Effect from "effect/Effect"
import { type ReadClock } from "../clock.ts"
import { onExit } from "../finalizers/finalizers.ts"

/** A call that is not answered yet. */
export interface ActiveCall {
  readonly method: string
  /** Time since the call arrived. */
  readonly microseconds: number
}

/** The calls that are running. */
export interface ActiveCalls {
  /** Lists running calls, the oldest first. */
  readonly list: () => ReadonlyArray<ActiveCall>
  /** Returns the same call, listed while it runs. */
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
