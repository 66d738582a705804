import type { TraceEvent } from "../../runtime/trace.ts"
import type { EventPayload, EventType } from "../../events/event-types.ts"

/** Events for modules and log lines for the operator. Neither blocks the network layer. */
export interface P2pNotifications {
  readonly event: <T extends EventType>(type: T, payload: EventPayload<T>) => void
  readonly log: (
    level: "debug" | "info" | "warn" | "error",
    message: string,
    fields?: Readonly<Record<string, string | number | boolean>>
  ) => void
  /** Reports what happens on connections, for a log of every detail; absent if no log wants it. */
  readonly trace?: ((happening: TraceEvent) => void) | undefined
}
