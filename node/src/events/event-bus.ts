import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { acquireRelease } from "../finalizers/finalizers.ts"
import type { EventPayload, EventType } from "./event-types.ts"
import { type NodeEvent, nodeEvent } from "./node-event.ts"

/** Events a subscriber may be behind before it loses some. */
export const CHANNEL_CAPACITY = 100

/** What became of the events meant for one subscriber. */
export interface DeliveryStatistics {
  readonly delivered: number
  /** The subscriber's channel was closed. */
  readonly failed: number
  /** The channel was full, and the event was dropped. */
  readonly channelFull: number
}

/** One subscriber: its events in the order of publishing, at most once each. */
export interface Subscription {
  readonly name: string
  readonly take: Effect.Effect<NodeEvent>
  /** Whatever is there at this moment, without waiting. */
  readonly takeWaiting: Effect.Effect<ReadonlyArray<NodeEvent>>
  readonly statistics: () => DeliveryStatistics
}

/** The options of a subscriber. */
export interface SubscriptionOptions {
  readonly name: string
  /** None: every type. */
  readonly types?: ReadonlyArray<EventType>
  /** Asked for every event: false, it is not for this subscriber. None: always true. */
  readonly isListening?: () => boolean
  readonly capacity?: number
}

/** Handles every event as a part of its publication: in order, none lost, and nothing waits in memory. */
export interface Observer {
  /** Asked for every event by its type. None: always true. */
  readonly isListening?: (type: EventType) => boolean
  /** It must be quick: the publisher waits for it. */
  readonly run: (event: NodeEvent) => Effect.Effect<void>
}

/**
 * Carries events from publishers to subscribers. Publishing never waits and never fails: a subscriber that is too slow
 * loses events and keeps its place, one that is gone is forgotten.
 */
export class EventBus extends Context.Service<EventBus, {
  readonly publish: <T extends EventType>(type: T, payload: EventPayload<T>) => Effect.Effect<void>
  readonly publishEvent: (event: NodeEvent) => Effect.Effect<void>
  /** Subscribes until the scope closes. */
  readonly subscribe: (options: SubscriptionOptions) => Effect.Effect<Subscription, never, Scope.Scope>
  /** Observes until the scope closes. */
  readonly observe: (observer: Observer) => Effect.Effect<void, never, Scope.Scope>
  readonly subscriptions: () => ReadonlyArray<Subscription>
  /** Whether there is a subscriber for events of this type. Frequent events are not published without one. */
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
