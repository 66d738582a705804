import type { Seconds } from "../quantities.ts"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type Chain, failureText } from "../engine-client/chain.ts"
import type { EventBus } from "../events/event-bus.ts"

const about = Effect.annotateLogs({ category: "node" })

/** Assumed number of changed coins that a flush writes in a millisecond, until one was measured. */
const COINS_PER_MS = 100

/** Speed of earlier flushes, from which the duration of the next one is estimated. */
export interface FlushPace {
  readonly seconds: (coins: number) => Seconds
  readonly measured: (coins: number, milliseconds: number) => void
}

export const measuredFlushPace = (): FlushPace => {
  let coinsPerMs = COINS_PER_MS
  return {
    seconds: (coins) => Math.ceil(coins / coinsPerMs / 1_000),
    // A small flush takes the time of a commit, and is no measure for a large one.
    measured: (coins, milliseconds) => {
      if (coins >= 10_000 && milliseconds > 0) coinsPerMs = coins / milliseconds
    }
  }
}

/** Announces maintenance, flushes the engine, and reports the result. */
const maintain = Effect.fnUntraced(
  function*(chain: Chain["Service"], bus: EventBus["Service"], pace: FlushPace): Effect.fn.Return<void> {
    const started = yield* Clock.currentTimeMillis
    yield* bus.publish("DataMaintenance", { operation: "both", urgency: "low", reason: "periodic" })
    const coins = chain.state()?.cacheChanges ?? 0
    yield* bus.publish("MaintenanceStarted", {
      maintenance_type: "cleanup",
      estimated_duration_seconds: pace.seconds(coins)
    })
    const problem = yield* chain.call("flush", undefined).pipe(
      Effect.as(undefined),
      Effect.catch((failure) => Effect.succeed(failureText(failure)))
    )
    if (problem !== undefined) {
      yield* Effect.logWarning("periodic maintenance failed").pipe(Effect.annotateLogs({ error: problem }), about)
    }
    const duration_ms = (yield* Clock.currentTimeMillis) - started
    if (problem === undefined) pace.measured(coins, duration_ms)
    yield* bus.publish("MaintenanceCompleted", {
      maintenance_type: "cleanup",
      success: problem === undefined,
      duration_ms,
      results: JSON.stringify(problem === undefined ? { coins_written: coins } : { error: problem })
    })
  }
)

/** Runs maintenance every `seconds` seconds; 0 for never. Does not end. */
export const periodicMaintenance = (
  chain: Chain["Service"],
  bus: EventBus["Service"],
  seconds: Seconds
): Effect.Effect<void> =>
  seconds === 0
    ? Effect.void
    : Effect.suspend(() => {
      const pace = measuredFlushPace()
      return Effect.forever(Effect.delay(Effect.suspend(() => maintain(chain, bus, pace)), Duration.seconds(seconds)))
    })
