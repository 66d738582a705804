import type { EventPayload, EventType } from "./event-types.ts"

/** One thing that happened: its type and what belongs to that type. Plain data that crosses threads and processes. */
export type NodeEvent = {
  readonly [T in EventType]: { readonly type: T; readonly payload: EventPayload<T> }
}[EventType]

/** Builds an event; the compiler holds the payload to its type. */
export const nodeEvent = <T extends EventType>(type: T, payload: EventPayload<T>): NodeEvent =>
  ({ type, payload }) as NodeEvent
