import type { ModuleEventPayload, ModuleEventType } from "@lockstep/protocol/module-ipc/index.ts"
import type { EventPayload, EventType } from "../../events/event-types.ts"
import { bytesOfDigits } from "../../hex.ts"
import type { UnixSeconds } from "../../quantities.ts"
import type { UNSENT } from "./unsent.ts"

/** Events of the node that modules receive. */
export type SentEventType = Exclude<EventType, keyof typeof UNSENT>

/** Fields of the wire's event of one type, without its type. */
export type WireFields<T extends ModuleEventType> = Omit<Extract<ModuleEventPayload, { readonly _tag: T }>, "_tag">

/** Converts an event of the node to one of the wire. `now` turns points in time into durations. */
export type EventMapping<T extends SentEventType> = (payload: EventPayload<T>, now: UnixSeconds) => WireFields<T>

/** Mappings of some events of the node to events of the wire. */
export type Mappings<T extends SentEventType = SentEventType> = { readonly [K in T]: EventMapping<K> }

/** Returns the hash of an event in wire order. */
export const wireHashOf = (display: string): Uint8Array =>
  (bytesOfDigits(display) ?? new Uint8Array(32)).slice().reverse()

/** Parses the compact target of an event. */
export const bitsOf = (digits: string): number => Number.parseInt(digits, 16)

/** Rounds a measured time to a whole number that is not negative, as the wire needs it. */
export const whole = (value: number): number => Math.max(0, Math.round(value))

/** Converts milliseconds to whole seconds. */
export const wholeSeconds = (milliseconds: number): number => whole(milliseconds / 1_000)
