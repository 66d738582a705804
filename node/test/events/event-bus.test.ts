import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Exit from "effect/Exit"
import { CHANNEL_CAPACITY, EventBus } from "../../src/events/event-bus.ts"
import { EVENT_TYPES } from "../../src/events/event-types.ts"

const block = (height: number) => ({ block_hash: "00".repeat(32), height, transactions: 1 })

describe("EventBus", () => {
  it.effect("hands each subscriber what it asked for, in order", () =>
    Effect.gen(function*() {
      const bus = yield* EventBus
      const all = yield* bus.subscribe({ name: "all" })
      const some = yield* bus.subscribe({ name: "some", types: ["BlockDisconnected"] })
      yield* bus.publish("NewBlock", block(1))
      yield* bus.publish("BlockDisconnected", { block_hash: "11", height: 1 })
      yield* bus.publish("NewBlock", block(2))
      assert.deepStrictEqual((yield* all.take).payload, block(1))
      assert.strictEqual((yield* all.take).type, "BlockDisconnected")
      assert.deepStrictEqual((yield* all.take).payload, block(2))
      assert.strictEqual((yield* some.take).type, "BlockDisconnected")
      assert.deepStrictEqual(some.statistics(), { delivered: 1, failed: 0, channelFull: 0 })
    }).pipe(Effect.scoped, Effect.provide(EventBus.layer)))

  it.effect("publishing never waits: a full channel drops, counts, and keeps its place", () =>
    Effect.gen(function*() {
      const bus = yield* EventBus
      const slow = yield* bus.subscribe({ name: "slow" })
      for (let i = 0; i < CHANNEL_CAPACITY + 7; i++) yield* bus.publish("NewBlock", block(i))
      assert.deepStrictEqual(slow.statistics(), { delivered: CHANNEL_CAPACITY, failed: 0, channelFull: 7 })
      assert.deepStrictEqual((yield* slow.take).payload, block(0))
      yield* bus.publish("NewBlock", block(999))
      assert.strictEqual(slow.statistics().delivered, CHANNEL_CAPACITY + 1)
      assert.lengthOf(bus.subscriptions(), 1)
    }).pipe(Effect.scoped, Effect.provide(EventBus.layer)))

  it.effect("is not asked for what no subscriber listens to at the moment", () =>
    Effect.gen(function*() {
      const bus = yield* EventBus
      let isListening = false
      const some = yield* bus.subscribe({ name: "some", types: ["NewBlock"], isListening: () => isListening })
      yield* bus.publish("NewBlock", block(1))
      assert.isFalse(bus.hasSubscribers("NewBlock"))
      isListening = true
      assert.deepStrictEqual([bus.hasSubscribers("NewBlock"), bus.hasSubscribers("ChainReorg")], [true, false])
      yield* bus.publish("NewBlock", block(2))
      assert.deepStrictEqual((yield* some.take).payload, block(2))
      assert.deepStrictEqual(some.statistics(), { delivered: 1, failed: 0, channelFull: 0 })
    }).pipe(Effect.scoped, Effect.provide(EventBus.layer)))

  it.effect("forgets a subscriber whose scope is closed", () =>
    Effect.gen(function*() {
      const bus = yield* EventBus
      const scope = yield* Scope.make()
      yield* bus.subscribe({ name: "gone" }).pipe(Scope.provide(scope))
      assert.lengthOf(bus.subscriptions(), 1)
      yield* Scope.close(scope, Exit.void)
      assert.lengthOf(bus.subscriptions(), 0)
      yield* bus.publish("NewBlock", block(1))
    }).pipe(Effect.provide(EventBus.layer)))

  it("knows every type of the contract's categories, and those of the module wire, and says when each is emitted", () => {
    const categories = new Map<string, number>()
    for (const { category, when } of Object.values(EVENT_TYPES)) {
      assert.isAbove(when.length, 10)
      categories.set(category, (categories.get(category) ?? 0) + 1)
    }
    assert.strictEqual(categories.get("Blockchain"), 4)
    assert.strictEqual(categories.get("Payment"), 8)
    assert.strictEqual(categories.get("Mining"), 8)
    // The wire has four more than the contract: started, stopped, reloaded, and any change of state.
    assert.strictEqual(categories.get("Module lifecycle"), 12)
    assert.strictEqual(categories.get("Network"), 17)
    assert.strictEqual(categories.get("Consensus"), 11)
    // With the change of state of the wire.
    assert.strictEqual(categories.get("Sync"), 7)
  })
})
