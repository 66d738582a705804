import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { flushPace } from "../../src/modules/events/flush-pace.ts"

const soon = Effect.forEach([0, 1, 2, 3, 4], () => Effect.yieldNow, { discard: true })

describe("the pace of events to modules", () => {
  it.effect("lets rare events go out at once, all modules in one round", () =>
    Effect.scoped(Effect.gen(function*() {
      const flushSoon = yield* flushPace
      const flushed: Array<string> = []
      const [a, b] = [() => void flushed.push("a"), () => void flushed.push("b")]
      for (let i = 0; i < 100; i++) {
        for (const flush of [a, b, a]) flushSoon(flush)
        assert.deepStrictEqual(flushed, [], "nothing goes out before the turn ends")
        yield* soon
        assert.deepStrictEqual(flushed.splice(0), ["a", "b"])
        yield* TestClock.adjust("50 millis")
      }
    })))

  it.effect("lets twenty rounds follow at once, and the next after 50 ms", () =>
    Effect.scoped(Effect.gen(function*() {
      const flushSoon = yield* flushPace
      let rounds = 0
      const ask = Effect.suspend(() => {
        flushSoon(() => void rounds++)
        return soon
      })
      for (let i = 0; i < 25; i++) yield* ask
      assert.strictEqual(rounds, 20)
      yield* TestClock.adjust("49 millis")
      assert.strictEqual(rounds, 20)
      // The five that were asked for meanwhile go out together.
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(rounds, 25)
    })))

  it.effect("has those of 50 ms go out together where there are many, and is quick again after a while", () =>
    Effect.scoped(Effect.gen(function*() {
      const flushSoon = yield* flushPace
      let rounds = 0
      const flush = (): void => void rounds++
      const each = (milliseconds: number) =>
        Effect.forEach(Array.from({ length: milliseconds }), () => {
          flushSoon(flush)
          return Effect.andThen(soon, TestClock.adjust("1 millis"))
        }, { discard: true })
      yield* each(1_000)
      // Those that may follow at once, and those for which the second pays.
      assert.isAtLeast(rounds, 38)
      assert.isAtMost(rounds, 41)
      rounds = 0
      yield* each(1_000)
      assert.isAtLeast(rounds, 19)
      assert.isAtMost(rounds, 21)
      yield* TestClock.adjust("2 seconds")
      rounds = 0
      yield* each(10)
      assert.strictEqual(rounds, 10)
    })))
})
