import type { Seconds } from "../quantities.ts"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type Chain, failureText } from "../engine-client/chain.ts"
import type { EventBus } from "../events/event-bus.ts"

const about = Effect.annotateLogs({ category: "node" })

/** Announces maintenance, flushes the engine, and reports the result. */
const maintain = Effect.fnUntraced(
  function*(chain: Chain["Service"], bus: EventBus["Service"]): Effect.fn.Return<void> {
    const started = yield* Clock.currentTimeMillis
    yield* bus.publish("DataMaintenance", { operation: "both", urgency: "low", reason: "periodic" })
    yield* bus.publish("MaintenanceStarted", { maintenance_type: "cleanup" })
    const coins = chain.state()?.cacheChanges ?? 0
    const problem = yield* chain.call("flush", undefined).pipe(
      Effect.as(undefined),
      Effect.catch((failure) => Effect.succeed(failureText(failure)))
    )
    if (problem !== undefined) {
      yield* Effect.logWarning("periodic maintenance failed").pipe(Effect.annotateLogs({ error: problem }), about)
    }
    yield* bus.publish("MaintenanceCompleted", {
      maintenance_type: "cleanup",
      success: problem === undefined,
      duration_ms: (yield* Clock.currentTimeMillis) - started,
      results: JSON.stringify(problem === undefined ? { coins_written: coins } : { error: problem })
    })
  }
)

/** Does maintenance every so many seconds; 0: never. Does not end. */
export const periodicMaintenance = (
  chain: Chain["Service"],
  bus: EventBus["Service"],
  seconds: Seconds
): Effect.Effect<void> =>
  seconds === 0 ? Effect.void : Effect.forever(Effect.delay(maintain(chain, bus), Duration.seconds(seconds)))
