import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Log } from "../log/log-layer.ts"
import { isWanted } from "../log/log-record.ts"
import { EventBus } from "./event-bus.ts"
import type { NodeEvent } from "./node-event.ts"

/** Events that may wait to be written to the log. */
const CAPACITY = 10_000

const write = ({ payload, type }: NodeEvent): Effect.Effect<void> =>
  Effect.logDebug("event").pipe(Effect.annotateLogs({ category: "events", event: type, payload: JSON.stringify(payload) }))

/**
 * Writes every event to the log at level debug until the scope closes, so that an operator can see what modules are told.
 * What was published before that is still written. While the log leaves that level out, events are not for it: every message
 * of every peer is one.
 */
export const logEvents: Effect.Effect<void, never, EventBus | Log | Scope.Scope> = Effect.gen(function*() {
  const bus = yield* EventBus
  const { levels } = yield* Log
  const isListening = (): boolean => isWanted(levels(), { level: "debug", category: "events" })
  const subscription = yield* bus.subscribe({ name: "log", isListening, capacity: CAPACITY })
  yield* Effect.addFinalizer(() => Effect.flatMap(subscription.takeWaiting, (events) => Effect.forEach(events, write, { discard: true })))
  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(subscription.take, write)))
})
