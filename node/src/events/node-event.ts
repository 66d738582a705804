import type { EventPayload, EventType } from "./event-types.ts"

/** An event: its type and the payload of that type. Plain data that crosses threads and processes. */
export type NodeEvent = {
  readonly [T in EventType]: { readonly type: T; readonly payload: EventPayload<T> }
}[EventType]

/** Makes an event. The compiler checks the payload against its type. */
export const nodeEvent = <T extends EventType>(type: T, payload: EventPayload<T>): NodeEvent =>
  ({ type, payload }) as NodeEvent
