import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { acquireRelease } from "../finalizers/finalizers.ts"
import type { EventPayload, EventType } from "./event-types.ts"
import { type NodeEvent, nodeEvent } from "./node-event.ts"

/** Number of events that a subscriber may be behind before it loses some. */
export const CHANNEL_CAPACITY = 100

/** Counts of the events for one subscriber, by outcome. */
export interface DeliveryStatistics {
  readonly delivered: number
  /** Events lost because the subscriber's channel was closed. */
  readonly failed: number
  /** Events dropped because the channel was full. */
  readonly channelFull: number
}

/** A subscription: its events in the order of publishing, at most once each. */
export interface Subscription {
  readonly name: string
  readonly take: Effect.Effect<NodeEvent>
  /** Takes all waiting events without waiting for more. */
  readonly takeWaiting: Effect.Effect<ReadonlyArray<NodeEvent>>
  readonly statistics: () => DeliveryStatistics
}

/** The options of a subscriber. */
export interface SubscriptionOptions {
  readonly name: string
  /** The event types to receive; all by default. */
  readonly types?: ReadonlyArray<EventType>
  /** Called for every event: if it returns false, the subscriber does not get the event. By default it gets all. */
  readonly isListening?: () => boolean
  readonly capacity?: number
}

/** Handles every event as a part of its publication: in order, without loss, and without a queue in memory. */
export interface Observer {
  /** Called for every event with its type. By default the observer gets all events. */
  readonly isListening?: (type: EventType) => boolean
  /** Handles an event. It must be quick, because the publisher waits for it. */
  readonly run: (event: NodeEvent) => Effect.Effect<void>
}

/**
 * Carries events from publishers to subscribers. Publishing never waits and never fails. A subscriber that is too slow
 * loses events and stays subscribed; one that has ended is removed.
 */
export class EventBus extends Context.Service<EventBus, {
  readonly publish: <T extends EventType>(type: T, payload: EventPayload<T>) => Effect.Effect<void>
  readonly publishEvent: (event: NodeEvent) => Effect.Effect<void>
  /** Subscribes until the scope closes. */
  readonly subscribe: (options: SubscriptionOptions) => Effect.Effect<Subscription, never, Scope.Scope>
  /** Observes until the scope closes. */
  readonly observe: (observer: Observer) => Effect.Effect<void, never, Scope.Scope>
  readonly subscriptions: () => ReadonlyArray<Subscription>
  /** Reports whether events of this type have a subscriber. Frequent events are not published without one. */
  readonly hasSubscribers: (type: EventType) => boolean
}>()("@node/events/EventBus") {
  static readonly layer: Layer.Layer<EventBus> = Layer.effect(EventBus, Effect.sync(() => makeEventBus()))
}

interface Listener extends Subscription {
  readonly queue: Queue.Queue<NodeEvent>
  readonly wants: (type: EventType) => boolean
  delivered: number
  failed: number
  channelFull: number
}

type Outcome = "delivered" | "dropped" | "closed"

const hand = (listener: Listener, event: NodeEvent): Outcome => {
  const isFull = Queue.isFullUnsafe(listener.queue)
  if (Queue.offerUnsafe(listener.queue, event)) {
    listener.delivered++
    return "delivered"
  }
  if (isFull) listener.channelFull++
  else listener.failed++
  return isFull ? "dropped" : "closed"
}

const warnOfDrop = ({ channelFull, name }: Listener, type: EventType): Effect.Effect<void> =>
  Effect.logWarning("an event was dropped: the subscriber is too slow").pipe(
    Effect.annotateLogs({ category: "events", subscriber: name, event: type, dropped: channelFull })
  )

const ALWAYS = (): boolean => true

const openListener = (
  { capacity = CHANNEL_CAPACITY, isListening = ALWAYS, name, types }: SubscriptionOptions
): Effect.Effect<Listener> =>
  Effect.map(Queue.dropping<NodeEvent>(capacity), (queue) => {
    const listener: Listener = {
      name,
      queue,
      take: Queue.take(queue),
      takeWaiting: Queue.clear(queue),
      wants: (type) => isListening() && (types === undefined || types.includes(type)),
      statistics: () => ({ delivered: listener.delivered, failed: listener.failed, channelFull: listener.channelFull }),
      delivered: 0,
      failed: 0,
      channelFull: 0
    }
    return listener
  })

const makeEventBus = (): EventBus["Service"] => {
  const listeners = new Set<Listener>()
  const observers = new Set<Observer>()
  const isObserving = ({ isListening = ALWAYS }: Observer, type: EventType): boolean => isListening(type)

  const publishEvent = (event: NodeEvent): Effect.Effect<void> =>
    Effect.suspend(() => {
      const work: Array<Effect.Effect<void>> = []
      for (const observer of observers) if (isObserving(observer, event.type)) work.push(observer.run(event))
      for (const listener of listeners) {
        const outcome = listener.wants(event.type) ? hand(listener, event) : "delivered"
        if (outcome === "dropped") work.push(warnOfDrop(listener, event.type))
        if (outcome === "closed") listeners.delete(listener)
      }
      return work.length < 2 ? work[0] ?? Effect.void : Effect.all(work, { discard: true })
    })

  const hasSubscribers = (type: EventType): boolean => {
    for (const listener of listeners) if (listener.wants(type)) return true
    for (const observer of observers) if (isObserving(observer, type)) return true
    return false
  }

  const subscribe = (options: SubscriptionOptions): Effect.Effect<Subscription, never, Scope.Scope> =>
    acquireRelease(
      Effect.tap(openListener(options), (listener) => Effect.sync(() => listeners.add(listener))),
      (listener) => Effect.andThen(Effect.sync(() => listeners.delete(listener)), Queue.shutdown(listener.queue))
    )

  const observe = (observer: Observer): Effect.Effect<void, never, Scope.Scope> =>
    Effect.asVoid(acquireRelease(
      Effect.sync(() => void observers.add(observer)),
      () => Effect.sync(() => void observers.delete(observer))
    ))

  return EventBus.of({
    publish: (type, payload) => publishEvent(nodeEvent(type, payload)),
    publishEvent,
    hasSubscribers,
    subscribe,
    observe,
    subscriptions: () => [...listeners]
  })
}
