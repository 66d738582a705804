import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Log } from "./log-layer.ts"
import { isWanted } from "./log-record.ts"
import { EventBus } from "../events/event-bus.ts"
import type { NodeEvent } from "../events/node-event.ts"

const write = ({ payload, type }: NodeEvent): Effect.Effect<void> =>
  Effect.logDebug("event").pipe(
    Effect.annotateLogs({ category: "events", event: type, payload: JSON.stringify(payload) })
  )

/**
 * Writes every event to the log at level debug until the scope closes, so that an operator sees the events that modules
 * get. Each is written before it is delivered: lines are complete and in order, however many they are. While the log
 * omits that level, it subscribes to no events, because every message of every peer is one.
 */
export const logEvents: Effect.Effect<void, never, EventBus | Log | Scope.Scope> = Effect.gen(function*() {
  const bus = yield* EventBus
  const { levels } = yield* Log
  // The publisher may have another log, or none.
  const services = yield* Effect.context<never>()
  yield* bus.observe({
    isListening: () => isWanted(levels(), { level: "debug", category: "events" }),
    run: (event) => Effect.provideContext(write(event), services)
  })
})
