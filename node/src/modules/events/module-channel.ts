import type { ModuleEventPayload, ModuleEventType } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import { CHANNEL_CAPACITY, type DeliveryStatistics } from "../../events/event-bus.ts"
import { onExit } from "../../finalizers/finalizers.ts"

/** Sends one event to the module; ends once the system has taken it. */
export type SendEvent<E> = (payload: ModuleEventPayload) => Effect.Effect<void, E>

/** The events of one module on their way: at most 100, in order, each at most once. */
export interface ModuleChannel {
  readonly module: string
  /** Types of several subscriptions add up. */
  readonly subscribe: (types: ReadonlyArray<ModuleEventType>) => void
  readonly unsubscribe: (types: ReadonlyArray<ModuleEventType>) => void
  readonly wants: (type: ModuleEventType) => boolean
  /** Takes an event without waiting. Answers whether it is the first that is dropped after others were taken. */
  readonly offer: (payload: ModuleEventPayload) => boolean
  readonly statistics: () => DeliveryStatistics
  /** Sends what comes, until sending fails. Where events were dropped, it sends `EventsDropped` in their place. */
  readonly deliver: <E>(send: SendEvent<E>) => Effect.Effect<never, E>
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
}

const offer = (state: State, payload: ModuleEventPayload): boolean => {
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

const deliver = <E>(state: State, send: SendEvent<E>): Effect.Effect<never, E> => {
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
  return Effect.forever(Effect.suspend(one))
}

/** A channel without subscriptions. */
export const moduleChannel = (module: string, room: Room = ROOM): ModuleChannel => {
  const state: State = {
    room,
    types: new Set(),
    waiting: [],
    bytes: 0,
    dropped: 0,
    delivered: 0,
    failed: 0,
    channelFull: 0,
    wake: undefined
  }
  return {
    module,
    subscribe: (types) => types.forEach((type) => state.types.add(type)),
    unsubscribe: (types) => types.forEach((type) => state.types.delete(type)),
    wants: (type) => state.types.has(type),
    offer: (payload) => offer(state, payload),
    statistics: () => ({ delivered: state.delivered, failed: state.failed, channelFull: state.channelFull }),
    deliver: (send) => deliver(state, send)
  }
}
