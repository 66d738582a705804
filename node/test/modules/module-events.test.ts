import { assert, describe, it } from "@effect/vitest"
import type { ModuleEventPayload } from "@lockstep/protocol/module-ipc/index.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { CHANNEL_CAPACITY, EventBus } from "../../src/events/event-bus.ts"
import { moduleChannel, sendingOutlet } from "../../src/modules/events/module-channel.ts"
import { openModuleEvents } from "../../src/modules/events/module-events.ts"
import { unixSeconds } from "../../src/quantities.ts"

const numbered = (height: number): ModuleEventPayload => ({ _tag: "HeadersSyncStarted", start_height: height })

/** What a module received: heights, and how many it missed by the count it got. */
const brief = (payload: ModuleEventPayload): number | string =>
  payload._tag === "HeadersSyncStarted"
    ? payload.start_height
    : payload._tag === "EventsDropped"
    ? `${payload.dropped} of ${payload.total} missed`
    : payload._tag

/** A module that reads everything. */
const reader = () => {
  const received: Array<number | string> = []
  return { received, send: (payload: ModuleEventPayload) => Effect.sync(() => void received.push(brief(payload))) }
}

const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, i) => i)

const settled = Effect.forEach(upTo(3 * CHANNEL_CAPACITY), () => Effect.yieldNow, { discard: true })

const opened = Effect.gen(function*() {
  const bus = yield* EventBus
  const events = yield* openModuleEvents(() => unixSeconds(1_000))
  const publish = (height: number) => bus.publish("HeadersSyncStarted", { start_height: height })
  return { bus, events, publish }
})

describe("the events of modules", () => {
  it.effect("reach those that subscribed, and only as long as they are there", () =>
    Effect.gen(function*() {
      const { bus, events, publish } = yield* opened
      const all = reader()
      yield* Effect.scoped(Effect.gen(function*() {
        const channel = yield* events.open("watcher")
        yield* Effect.forkScoped(channel.deliver(sendingOutlet(all.send)))
        assert.isFalse(bus.hasSubscribers("HeadersSyncStarted"))
        channel.subscribe(["HeadersSyncStarted"])
        channel.subscribe(["PeerUnbanned"])
        assert.isTrue(bus.hasSubscribers("HeadersSyncStarted"))
        assert.isFalse(bus.hasSubscribers("MessageSent"))
        yield* publish(1)
        yield* bus.publish("HeadersSyncCompleted", { final_height: 5, duration_ms: 1 })
        yield* bus.publish("PeerUnbanned", { peer: "a" })
        yield* settled
        assert.deepStrictEqual(events.channels().map(({ module }) => module), ["watcher"])
      }))
      yield* publish(2)
      assert.isFalse(bus.hasSubscribers("HeadersSyncStarted"))
      assert.deepStrictEqual(all.received, [1, "PeerUnbanned"])
    }).pipe(Effect.provide(EventBus.layer), Effect.scoped))

  it.effect("of a module that never reads are dropped and counted, and hold up nothing else", () =>
    Effect.gen(function*() {
      const { events, publish } = yield* opened
      const [stuck, other] = [yield* events.open("stuck"), yield* events.open("other")]
      const all = reader()
      yield* Effect.forkScoped(stuck.deliver(sendingOutlet(() => Effect.never)))
      yield* Effect.forkScoped(other.deliver(sendingOutlet(all.send)))
      for (const channel of [stuck, other]) channel.subscribe(["HeadersSyncStarted"])
      yield* settled
      const count = 3 * CHANNEL_CAPACITY
      for (const height of upTo(count)) {
        yield* publish(height)
        yield* Effect.yieldNow
      }
      yield* settled
      assert.deepStrictEqual(all.received, [...upTo(count)])
      assert.deepStrictEqual(other.statistics(), { delivered: count, failed: 0, channelFull: 0 })
      // One is on its way beyond those that wait.
      assert.deepStrictEqual(stuck.statistics(), {
        delivered: 0,
        failed: 0,
        channelFull: count - CHANNEL_CAPACITY - 1
      })
    }).pipe(Effect.provide(EventBus.layer), Effect.scoped))

  it.effect("are encoded once for all modules that read them", () =>
    Effect.gen(function*() {
      const { events, publish } = yield* opened
      const frames: Array<Uint8Array> = []
      let flushed = 0
      for (const name of ["a", "b", "c"]) {
        const channel = yield* events.open(name)
        channel.subscribe(["HeadersSyncStarted"])
        yield* Effect.forkScoped(channel.deliver({
          post: (frame) => frames.push(frame) > 0,
          flush: () => void flushed++,
          send: () => Effect.die("it could be posted")
        }))
      }
      yield* settled
      yield* publish(7)
      yield* publish(8)
      yield* settled
      assert.deepStrictEqual(frames.map((frame) => frames.indexOf(frame)), [0, 0, 0, 3, 3, 3])
      assert.strictEqual(flushed, 3, "both of one turn go out together")
      assert.deepStrictEqual(events.channels()[0]?.statistics(), { delivered: 2, failed: 0, channelFull: 0 })
    }).pipe(Effect.provide(EventBus.layer), Effect.scoped))

  it.effect("keep their order where some have to wait", () =>
    Effect.gen(function*() {
      const channel = moduleChannel("moody")
      const all = reader()
      const posted: Array<number> = []
      let canPost = true
      const delivery = yield* Effect.forkChild(channel.deliver({
        post: (frame) => {
          if (canPost) all.received.push(posted.shift()!)
          return canPost && frame.length > 0
        },
        flush: () => undefined,
        send: (payload) => Effect.andThen(Effect.yieldNow, all.send(payload))
      }))
      yield* settled
      for (const height of upTo(200)) {
        canPost = height % 7 < 4
        posted.splice(0, 1, height)
        channel.offer(numbered(height))
        if (height % 3 === 0) yield* Effect.yieldNow
        if (height % 20 === 0) yield* settled
      }
      yield* settled
      assert.deepStrictEqual(all.received, [...upTo(200)])
      assert.deepStrictEqual(channel.statistics(), { delivered: 200, failed: 0, channelFull: 0 })
      yield* Fiber.interrupt(delivery)
    }))

  it.effect("that were dropped are counted in their place, once", () =>
    Effect.gen(function*() {
      const channel = moduleChannel("slow")
      const first = upTo(CHANNEL_CAPACITY + 2).map((height) => channel.offer(numbered(height)))
      // The first drop is worth a line in the log, the next one is not.
      assert.deepStrictEqual(first.flatMap((isFirst, i) => isFirst ? [i] : []), [CHANNEL_CAPACITY])
      const { received, send } = reader()
      let taken = 0
      const delivery = yield* Effect.forkChild(channel.deliver(sendingOutlet((payload) => {
        // There is room again as soon as the first one is taken.
        if (taken++ === 0) channel.offer(numbered(1_000))
        return send(payload)
      })))
      yield* settled
      assert.deepStrictEqual(received.splice(0), [...upTo(CHANNEL_CAPACITY), "2 of 2 missed", 1_000])
      for (const height of upTo(CHANNEL_CAPACITY + 3)) channel.offer(numbered(height))
      yield* settled
      assert.deepStrictEqual(received, [...upTo(CHANNEL_CAPACITY), "3 of 5 missed"])
      yield* Fiber.interrupt(delivery)
    }))

  it.effect("end with the connection: what could not be sent has failed", () =>
    Effect.gen(function*() {
      const channel = moduleChannel("gone")
      const gate = yield* Deferred.make<void>()
      channel.offer(numbered(1))
      channel.offer(numbered(2))
      let sent = 0
      const delivery = yield* Effect.forkChild(Effect.flip(channel.deliver(sendingOutlet(() => {
        sent++
        return sent === 1 ? Effect.void : Effect.andThen(Deferred.await(gate), Effect.fail("the module is gone"))
      }))))
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Fiber.join(delivery), "the module is gone")
      assert.deepStrictEqual(channel.statistics(), { delivered: 1, failed: 1, channelFull: 0 })
    }))
})

describe("the channel of a module that waits for its delivery", () => {
  it.effect("sends nothing past an event that is still on its way", () =>
    Effect.gen(function*() {
      const channel = moduleChannel("slow")
      const sent: Array<string> = []
      const gate = yield* Deferred.make<void>()
      const delivery = yield* Effect.forkChild(channel.deliver({
        // The first has to be waited for.
        post: () => sent.length > 0 && sent.push("posted") > 0,
        flush: () => undefined,
        send: (payload) =>
          Effect.andThen(Effect.sync(() => void sent.push(`begins ${brief(payload)}`)), Deferred.await(gate))
      }))
      yield* Effect.yieldNow
      channel.offer(numbered(1))
      for (let i = 0; i < 5; i++) yield* Effect.yieldNow
      assert.deepStrictEqual(sent, ["begins 1"])
      channel.offer(numbered(2))
      assert.deepStrictEqual(sent, ["begins 1"])
      yield* Deferred.succeed(gate, undefined)
      for (let i = 0; i < 10; i++) yield* Effect.yieldNow
      assert.deepStrictEqual(sent, ["begins 1", "begins 2"])
      yield* Fiber.interrupt(delivery)
    }))
})
