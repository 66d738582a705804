import {
  eventPayload,
  MODULE_EVENT_TYPES,
  type ModuleEventPayload,
  type ModuleEventType
} from "@lockstep/protocol/module-ipc/events/event-payloads.ts"
import type { JsonValue } from "@lockstep/sdk"

/** Events that are about this module's own connection. */
const INTERNAL: ReadonlySet<ModuleEventType> = new Set([
  "EventsDropped",
  "TimerFired",
  "NetworkAccepted",
  "NetworkReceived",
  "NetworkEnded",
  "NetworkDrained",
  "NetworkClosed",
  "Notified",
  "MempoolSnapshot",
  "MempoolStep",
  // Each of these would cause the next one.
  "WebhookSent",
  "WebhookFailed"
])

/** Event types that a hook may select. */
export const SENDABLE: ReadonlyArray<ModuleEventType> = MODULE_EVENT_TYPES.filter((type) => !INTERNAL.has(type))

/** The fields of an event as JSON. */
export type EventData = Readonly<Record<string, JsonValue>>

type Fields = Extract<typeof eventPayload["shape"], { readonly kind: "variant" }>["variants"][string]

const { shape } = eventPayload

const fieldsOf = (type: ModuleEventType): Fields => shape.kind === "variant" ? shape.variants[type]! : {}

const kindOf = (field: Fields[string]): string =>
  field.kind === "option" || field.kind === "list" ? field.of.kind : field.kind

/** Converts a value to JSON: hashes in display byte order, other bytes unchanged. */
const jsonOf = (value: unknown, isHash: boolean): JsonValue => {
  if (value === undefined) return null
  if (value instanceof Uint8Array) return Buffer.from(isHash ? value.toReversed() : value).toString("hex")
  if (typeof value === "bigint") return String(value)
  return Array.isArray(value) ? value.map((each) => jsonOf(each, isHash)) : value as JsonValue
}

/** Converts the fields of an event to JSON. */
export const eventData = (event: ModuleEventPayload): EventData => {
  const values = event as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(fieldsOf(event._tag)).map(([name, field]) => [name, jsonOf(values[name], kindOf(field) === "hash")])
  )
}
