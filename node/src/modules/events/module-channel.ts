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

/** Sends one event to the module; ends once the system has accepted it. */
export type SendEvent<E> = (payload: ModuleEventPayload) => Effect.Effect<void, E>

/** Output of events to a module. */
export interface EventOutlet<E> {
  /** Adds the frame of an event to the next write. Returns false if the event must be sent with `send` instead. */
  readonly post: (frame: Uint8Array) => boolean
  /** Writes the posted frames. */
  readonly flush: () => void
  readonly send: SendEvent<E>
}

/** An outlet that sends each event separately and waits for it. */
export const sendingOutlet = <E>(send: SendEvent<E>): EventOutlet<E> => ({
  post: () => false,
  flush: () => undefined,
  send
})

/** An event and its frame, shared by all modules that receive it. */
export interface SharedEvent {
  readonly payload: ModuleEventPayload
  readonly frame: () => Uint8Array
}

/** Shares an event. Its frame is encoded once, on first use. */
export const sharedEvent = (payload: ModuleEventPayload): SharedEvent => {
  let frame: Uint8Array | undefined
  return { payload, frame: () => frame ??= encodeModuleFrame(moduleEvent(payload)) }
}

/** The queue of events for one module: at most 100, in order, each at most once. */
export interface ModuleChannel {
  readonly module: string
  /** Adds types to those subscribed before. */
  readonly subscribe: (types: ReadonlyArray<ModuleEventType>) => void
  readonly unsubscribe: (types: ReadonlyArray<ModuleEventType>) => void
  readonly wants: (type: ModuleEventType) => boolean
  /** Queues an event without waiting. Returns true if it is the first one dropped after others were queued. */
  readonly offer: (payload: ModuleEventPayload) => boolean
  /** Queues an event that is offered to other modules as well, like `offer`. */
  readonly offerShared: (event: SharedEvent) => boolean
  readonly statistics: () => DeliveryStatistics
  /** Sends queued events until sending fails. Where events were dropped, it sends `EventsDropped` in their stead. */
  readonly deliver: <E>(outlet: EventOutlet<E>) => Effect.Effect<never, E>
}

/** Capacity of a channel. */
interface Room {
  readonly events: number
  readonly bytes: number
  readonly weigh: (payload: ModuleEventPayload) => number
}

const ROOM: Room = { events: CHANNEL_CAPACITY, bytes: Infinity, weigh: () => 0 }

/** A queued event, with the number of events dropped just before it. */
interface Waiting {
  readonly payload: ModuleEventPayload
  readonly dropped: number
}

/** The state of a channel. */
interface State {
  readonly room: Room
  readonly types: Set<ModuleEventType>
  readonly waiting: Array<Waiting>
  /** Bytes of the queued events. */
  bytes: number
  /** Number of events dropped since the last one that was queued. */
  dropped: number
  delivered: number
  failed: number
  channelFull: number
  /** Wakes the delivery if it waits for an event. */
  wake: (() => void) | undefined
  /** Outlet to which events are posted directly while the queue is empty. */
  outlet: EventOutlet<unknown> | undefined
  readonly flushSoon: FlushSoon
}

/** Posts the event directly to the outlet if nothing is queued before it. Returns false if that was not possible. */
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
      // Events dropped after the last queued one have no successor that would report them.
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

/** Flushes at once. */
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
