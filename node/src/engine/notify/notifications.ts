import { type NodeEvent, nodeEvent } from "../../events/node-event.ts"
import type { EventPayload, EventType } from "../../events/event-types.ts"
import type { EngineNotification } from "../api/engine-notification.ts"
import type { ChainEngine } from "../state/chain-engine.ts"

type LogFields = Readonly<Record<string, string | number | boolean>>

/** Queues an event until the next commit, so that no event reports a block that a power cut could undo. */
export const notifyEvent = <T extends EventType>(engine: ChainEngine, type: T, payload: EventPayload<T>): void => {
  const event: NodeEvent = nodeEvent(type, payload)
  engine.pendingNotifications.push({ _tag: "Event", event })
}

/** Sends a log message at once. */
export const notifyLog = (
  engine: Pick<ChainEngine, "notify">,
  level: Extract<EngineNotification, { _tag: "Log" }>["level"],
  message: string,
  fields: LogFields = {}
): void => engine.notify({ _tag: "Log", level, category: "chain", message, fields })

/** Sends the verdicts on blocks, after the update of the header index that shows them. */
export const notifyVerdicts = ({ feed, notify, verdicts }: ChainEngine): void => {
  feed.flush()
  for (const notification of verdicts.splice(0)) notify(notification)
}

/** Sends the pending notifications. */
export const publishPending = (engine: ChainEngine): void => {
  notifyVerdicts(engine)
  for (const notification of engine.pendingNotifications.splice(0)) engine.notify(notification)
}
