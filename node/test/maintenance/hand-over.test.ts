import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { rendezvous } from "../../src/maintenance/rendezvous.ts"

describe("a hand-over", () => {
  it.live("passes everything on in order, one at a time", () =>
    Effect.gen(function*() {
      const { begin, end, put, takeSoon } = rendezvous<number>()
      begin()
      const taken: Array<number> = []
      const taker = yield* Effect.forkChild(Effect.gen(function*() {
        for (let each = yield* takeSoon; each !== undefined; each = yield* takeSoon) taken.push(each)
      }))
      for (let i = 1; i <= 50; i++) assert.isTrue(yield* put(i))
      end()
      yield* Fiber.join(taker)
      assert.deepStrictEqual(taken, Array.from({ length: 50 }, (_, i) => i + 1))
    }))

  it.live("refuses an item without a taker, also when the taker leaves before it is taken", () =>
    Effect.gen(function*() {
      const { begin, leave, put } = rendezvous<number>()
      assert.isFalse(yield* put(1))
      begin()
      const giver = yield* Effect.forkChild(put(2), { startImmediately: true })
      yield* Effect.sleep(5)
      assert.isUndefined(giver.pollUnsafe())
      leave()
      assert.isFalse(yield* Fiber.join(giver))
    }))

  it.live("has the next one read only when the last one is taken, and ends when there is nothing", () =>
    Effect.gen(function*() {
      const { begin, put, takeOrLeave } = rendezvous<number>()
      begin()
      for (const each of [1, 2]) {
        const giver = yield* Effect.forkChild(put(each), { startImmediately: true })
        yield* Effect.sleep(1)
        assert.isUndefined(giver.pollUnsafe())
        assert.strictEqual(takeOrLeave(), each)
        assert.isTrue(yield* Fiber.join(giver))
      }
      assert.isUndefined(takeOrLeave())
      assert.isFalse(yield* put(3))
    }))

  it.live("does not wait for what does not come", () =>
    Effect.gen(function*() {
      const { begin, end, takeSoon } = rendezvous<number>()
      begin()
      assert.isUndefined(yield* takeSoon)
      end()
      assert.isUndefined(yield* takeSoon)
    }))
})
