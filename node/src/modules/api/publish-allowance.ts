import type { IpcError } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import type { ReadClock } from "../../clock.ts"

/** Events that a module may publish at once, and in a second: others have channels of 100 for all there is. */
export const MAX_PUBLISHED_AT_ONCE = 50

/** How many events one module may still publish. */
export interface PublishAllowance {
  /** Fails where it has published too many. */
  readonly spend: Effect.Effect<void, IpcError>
}

/** A full token bucket. */
export const publishAllowance = (now: ReadClock): PublishAllowance => {
  let [tokens, since] = [MAX_PUBLISHED_AT_ONCE, now()]
  return {
    spend: Effect.suspend(() => {
      const time = now()
      tokens = Math.min(MAX_PUBLISHED_AT_ONCE, tokens + (time - since) * MAX_PUBLISHED_AT_ONCE / 1_000)
      since = time
      if (tokens < 1) {
        return Effect.fail(
          {
            kind: "ResourceExhausted",
            text: `a module publishes up to ${MAX_PUBLISHED_AT_ONCE} events a second`
          } as const
        )
      }
      tokens--
      return Effect.void
    })
  }
}
