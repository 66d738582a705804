import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
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

/** One listener: its events in the order of publishing, at most once each. */
export interface Subscription {
  readonly name: string
  readonly take: Effect.Effect<NodeEvent>
  /** Whatever is there at this moment, without waiting. */
  readonly takeWaiting: Effect.Effect<ReadonlyArray<NodeEvent>>
  readonly statistics: () => DeliveryStatistics
}

/** What a subscriber wants. */
export interface SubscriptionOptions {
  readonly name: string
  /** None: every type. */
  readonly types?: ReadonlyArray<EventType>
  /** Asked of every event: off, it is not for this subscriber. None: always on. */
  readonly isListening?: () => boolean
  readonly capacity?: number
}

/**
 * Carries events from whoever causes them to whoever listens. Publishing never waits and never fails: a listener that is
 * too slow loses events and keeps its place, one that is gone is forgotten.
 */
export class EventBus extends Context.Service<EventBus, {
  readonly publish: <T extends EventType>(type: T, payload: EventPayload<T>) => Effect.Effect<void>
  readonly publishEvent: (event: NodeEvent) => Effect.Effect<void>
  /** Listens until the scope closes. */
  readonly subscribe: (options: SubscriptionOptions) => Effect.Effect<Subscription, never, Scope.Scope>
  readonly subscriptions: () => ReadonlyArray<Subscription>
  /** Whether anybody listens to events of this type: what happens very often is not published to nobody. */
  readonly isHeard: (type: EventType) => boolean
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

const openListener = ({ capacity = CHANNEL_CAPACITY, isListening = ALWAYS, name, types }: SubscriptionOptions): Effect.Effect<Listener> =>
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

  const publishEvent = (event: NodeEvent): Effect.Effect<void> =>
    Effect.suspend(() => {
      const warnings: Array<Effect.Effect<void>> = []
      for (const listener of listeners) {
        const outcome = listener.wants(event.type) ? hand(listener, event) : "delivered"
        if (outcome === "dropped") warnings.push(warnOfDrop(listener, event.type))
        if (outcome === "closed") listeners.delete(listener)
      }
      return warnings.length === 0 ? Effect.void : Effect.all(warnings, { discard: true })
    })

  const isHeard = (type: EventType): boolean => {
    for (const listener of listeners) if (listener.wants(type)) return true
    return false
  }

  const subscribe = (options: SubscriptionOptions): Effect.Effect<Subscription, never, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.tap(openListener(options), (listener) => Effect.sync(() => listeners.add(listener))),
      (listener) => Effect.andThen(Effect.sync(() => listeners.delete(listener)), Queue.shutdown(listener.queue))
    )

  return EventBus.of({
    publish: (type, payload) => publishEvent(nodeEvent(type, payload)),
    publishEvent,
    isHeard,
    subscribe,
    subscriptions: () => [...listeners]
  })
}
