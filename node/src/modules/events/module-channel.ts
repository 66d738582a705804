import {
  encodeModuleFrame,
  moduleEvent,
  type ModuleEventPayload,
  type ModuleEventType
} from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import { CHANNEL_CAPACITY, type DeliveryStatistics } from "../../events/event-bus.ts"
import { onExit } from "../../finalizers/finalizers.ts"
import type { FlushSoon } from "./flush-pace.ts"

/** Sends one event to the module; ends once the system has taken it. */
export type SendEvent<E> = (payload: ModuleEventPayload) => Effect.Effect<void, E>

/** The way of events out to a module. */
export interface EventOutlet<E> {
  /** Adds the frame of an event to what goes out next; false where it must be sent, and waited for. */
  readonly post: (frame: Uint8Array) => boolean
  /** Lets what was posted go out. */
  readonly flush: () => void
  readonly send: SendEvent<E>
}

/** Where each event is sent, and waited for. */
export const sendingOutlet = <E>(send: SendEvent<E>): EventOutlet<E> => ({
  post: () => false,
  flush: () => undefined,
  send
})

/** An event, and its frame for all modules that want it. */
export interface SharedEvent {
  readonly payload: ModuleEventPayload
  readonly frame: () => Uint8Array
}

/** The event's frame is encoded when it is asked for, once. */
export const sharedEvent = (payload: ModuleEventPayload): SharedEvent => {
  let frame: Uint8Array | undefined
  return { payload, frame: () => frame ??= encodeModuleFrame(moduleEvent(payload)) }
}

/** The events of one module on their way: at most 100, in order, each at most once. */
export interface ModuleChannel {
  readonly module: string
  /** Types of several subscriptions add up. */
  readonly subscribe: (types: ReadonlyArray<ModuleEventType>) => void
  readonly unsubscribe: (types: ReadonlyArray<ModuleEventType>) => void
  readonly wants: (type: ModuleEventType) => boolean
  /** Takes an event without waiting. Answers whether it is the first that is dropped after others were taken. */
  readonly offer: (payload: ModuleEventPayload) => boolean
  /** As `offer`, of an event that other modules are offered as well. */
  readonly offerShared: (event: SharedEvent) => boolean
  readonly statistics: () => DeliveryStatistics
  /** Sends what comes, until sending fails. Where events were dropped, it sends `EventsDropped` in their place. */
  readonly deliver: <E>(outlet: EventOutlet<E>) => Effect.Effect<never, E>
}

/** What may wait in a channel. */
interface Room {
  readonly events: number
  readonly bytes: number
  readonly weigh: (payload: ModuleEventPayload) => number
}

const ROOM: Room = { events: CHANNEL_CAPACITY, bytes: Infinity, weigh: () => 0 }

/** An event that waits, and how many were dropped between the one before it and itself. */
interface Waiting {
  readonly payload: ModuleEventPayload
  readonly dropped: number
}

/** The state of a channel. */
interface State {
  readonly room: Room
  readonly types: Set<ModuleEventType>
  readonly waiting: Array<Waiting>
  /** Of those that wait. */
  bytes: number
  /** Dropped since the last event that was taken. */
  dropped: number
  delivered: number
  failed: number
  channelFull: number
  /** Continues the delivery, where it waits for an event. */
  wake: (() => void) | undefined
  /** Where events go while none waits. */
  outlet: EventOutlet<unknown> | undefined
  readonly flushSoon: FlushSoon
}

/** Sends the event with others, past the delivery: nothing waits before it. Whether that could be. */
const posted = ({ flushSoon, outlet, wake, dropped, waiting }: State, { frame }: SharedEvent): boolean => {
  const isNext = outlet !== undefined && wake !== undefined && waiting.length === 0 && dropped === 0
  if (!isNext || !outlet.post(frame())) return false
  flushSoon(outlet.flush)
  return true
}

const offer = (state: State, event: SharedEvent): boolean => {
  if (posted(state, event)) {
    state.delivered++
    return false
  }
  const { payload } = event
  if (state.waiting.length >= state.room.events || state.bytes >= state.room.bytes) {
    state.channelFull++
    state.dropped++
    return state.dropped === 1
  }
  state.waiting.push({ payload, dropped: state.dropped })
  state.bytes += state.room.weigh(payload)
  state.dropped = 0
  state.wake?.()
  return false
}

const somethingToSend = (state: State): Effect.Effect<void> =>
  Effect.callback((resume) => {
    state.wake = () => {
      state.wake = undefined
      resume(Effect.void)
    }
    return Effect.sync(() => {
      state.wake = undefined
    })
  })

const takeDropped = (state: State): number => {
  const { dropped } = state
  state.dropped = 0
  return dropped
}

const deliver = <E>(state: State, outlet: EventOutlet<E>): Effect.Effect<never, E> => {
  const { send } = outlet
  let reported = 0
  const sendDropped = (dropped: number): Effect.Effect<void, E> => {
    if (dropped === 0) return Effect.void
    reported += dropped
    return send({ _tag: "EventsDropped", dropped, total: reported })
  }
  const one = (): Effect.Effect<void, E> => {
    const next = state.waiting.shift()
    if (next === undefined) {
      // What was dropped after the last event in the channel has nothing behind it that would report it.
      return state.dropped > 0 ? sendDropped(takeDropped(state)) : somethingToSend(state)
    }
    state.bytes -= state.room.weigh(next.payload)
    return sendDropped(next.dropped).pipe(
      Effect.andThen(send(next.payload)),
      onExit((exit) =>
        Effect.sync(() => {
          if (exit._tag === "Success") state.delivered++
          else state.failed++
        })
      )
    )
  }
  return Effect.suspend(() => {
    state.outlet = outlet
    return Effect.forever(Effect.suspend(one))
  })
}

/** Lets what was posted go out at once. */
const AT_ONCE: FlushSoon = (flush) => flush()

/** A channel without subscriptions. */
export const moduleChannel = (
  module: string,
  { flushSoon = AT_ONCE, room = ROOM }: { readonly flushSoon?: FlushSoon; readonly room?: Room } = {}
): ModuleChannel => {
  const state: State = {
    room,
    types: new Set(),
    waiting: [],
    bytes: 0,
    dropped: 0,
    delivered: 0,
    failed: 0,
    channelFull: 0,
    wake: undefined,
    outlet: undefined,
    flushSoon
  }
  return {
    module,
    subscribe: (types) => types.forEach((type) => state.types.add(type)),
    unsubscribe: (types) => types.forEach((type) => state.types.delete(type)),
    wants: (type) => state.types.has(type),
    offer: (payload) => offer(state, sharedEvent(payload)),
    offerShared: (event) => offer(state, event),
    statistics: () => ({ delivered: state.delivered, failed: state.failed, channelFull: state.channelFull }),
    deliver: (outlet) => deliver(state, outlet)
  }
}
