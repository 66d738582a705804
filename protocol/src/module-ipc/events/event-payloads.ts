import { names, variant } from "../layout/compounds.ts"
import type { ValueOf } from "../layout/layout.ts"
import { CHAIN_EVENTS } from "./chain-events.ts"
import { NETWORK_EVENTS } from "./network-events.ts"
import { NODE_EVENTS } from "./node-events.ts"
import { RELAY_EVENTS } from "./relay-events.ts"
import { VALIDATION_EVENTS } from "./validation-events.ts"

/** The position of an event in this list is its tag; new ones are added at the end. */
const EVENTS = { ...CHAIN_EVENTS, ...NETWORK_EVENTS, ...VALIDATION_EVENTS, ...NODE_EVENTS, ...RELAY_EVENTS } as const

/** A type of event that modules can subscribe to. */
export type ModuleEventType = keyof typeof EVENTS

/** Every type of event, in the order of their tags. */
export const MODULE_EVENT_TYPES = Object.keys(EVENTS) as ReadonlyArray<ModuleEventType>

/** The type before an event's payload, which repeats the payload's tag. */
export const eventType = names("event type", MODULE_EVENT_TYPES)

/** Payload of an event; `_tag` is the type. */
export const eventPayload = variant("event payload", EVENTS)

export type ModuleEventPayload = ValueOf<typeof eventPayload>
