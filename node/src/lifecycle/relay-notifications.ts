import * as Effect from "effect/Effect"
import type { EngineNotification } from "../engine/api/engine-notification.ts"
import type { EventBus } from "../events/event-bus.ts"
import type { Shutdown } from "../runtime/shutdown.ts"

type LogNotification = Extract<EngineNotification, { readonly _tag: "Log" }>

const LOG = {
  debug: Effect.logDebug,
  info: Effect.logInfo,
  warn: Effect.logWarning,
  error: Effect.logError
} as const

const write = ({ category, fields, level, message }: LogNotification): Effect.Effect<void> =>
  LOG[level](message).pipe(Effect.annotateLogs({ ...fields, category }))

/** Reports whether a notification is to be relayed: most are for others, or events without a subscriber. */
export const isRelayed = (notification: EngineNotification, { hasSubscribers }: EventBus["Service"]): boolean =>
  notification._tag === "Event"
    ? hasSubscribers(notification.event.type)
    : notification._tag === "Log" || notification._tag === "Fatal"

/**
 * Relays the engine's notifications: events to the bus, messages to the log. A disk fault stops the node. Others are
 * for their own subscribers.
 */
export const relayNotifications = (
  notification: EngineNotification,
  bus: EventBus["Service"],
  shutdown: Shutdown["Service"]
): Effect.Effect<void> => {
  switch (notification._tag) {
    case "Event":
      return bus.publishEvent(notification.event)
    case "Log":
      return write(notification)
    case "Fatal":
      return shutdown.request("error", notification.message)
    default:
      return Effect.void
  }
}
