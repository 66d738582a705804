import type { ModuleEventPayload, ModuleEventType } from "@lockstep/protocol/module-ipc/index.ts"
import type { EventPayload, EventType } from "../../events/event-types.ts"
import { bytesOfDigits } from "../../hex.ts"
import type { UnixSeconds } from "../../quantities.ts"
import type { UNSENT } from "./unsent.ts"

/** Events of the node that modules receive. */
export type SentEventType = Exclude<EventType, keyof typeof UNSENT>

/** What the wire's event of one type carries, without its type. */
export type WireFields<T extends ModuleEventType> = Omit<Extract<ModuleEventPayload, { readonly _tag: T }>, "_tag">

/** How an event of the node becomes one of the wire. `now` turns points in time into durations. */
export type EventMapping<T extends SentEventType> = (payload: EventPayload<T>, now: UnixSeconds) => WireFields<T>

/** How each of some events becomes one of the wire. */
export type Mappings<T extends SentEventType = SentEventType> = { readonly [K in T]: EventMapping<K> }

/** A hash of an event in the order of the wire. */
export const wireHashOf = (display: string): Uint8Array =>
  (bytesOfDigits(display) ?? new Uint8Array(32)).slice().reverse()

/** A compact target of an event as a number. */
export const bitsOf = (digits: string): number => Number.parseInt(digits, 16)

/** A measured time as the wire has it: whole and not negative. */
export const whole = (value: number): number => Math.max(0, Math.round(value))

/** Milliseconds in whole seconds. */
export const wholeSeconds = (milliseconds: number): number => whole(milliseconds / 1_000)
