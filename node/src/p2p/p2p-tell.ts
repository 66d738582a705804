import type { EventPayload, EventType } from "../events/event-types.ts"

/** What the network layer says, to modules and to people. Both never wait. */
export interface P2pTell {
  readonly event: <T extends EventType>(type: T, payload: EventPayload<T>) => void
  readonly log: (
    level: "debug" | "info" | "warn" | "error",
    message: string,
    fields?: Readonly<Record<string, string | number | boolean>>
  ) => void
}
