import type { IpcError } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import type { ReadClock } from "../../clock.ts"

/**
 * Maximum burst and rate per second of events that a module publishes. Channels of other modules hold 100 events of any
 * kind.
 */
export const MAX_PUBLISHED_AT_ONCE = 50

/** Limits the rate at which one module publishes events. */
export interface PublishAllowance {
  /** Uses up one event; fails if the module has published too many. */
  readonly spend: Effect.Effect<void, IpcError>
}

/** A token bucket, initially full. */
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
