import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { engineClock } from "../../src/engine/options/clock.ts"

describe("the clock of the engine", () => {
  it.effect("is the machine's in whole seconds until a mock time is set, which 0 takes away", () =>
    Effect.gen(function*() {
      const clock = yield* engineClock()
      yield* TestClock.setTime(1_700_000_000_999)
      assert.deepStrictEqual([clock.now(), clock.mockTime()], [1_700_000_000, 0])
      clock.setMockTime(1_600_000_000)
      yield* TestClock.adjust(5_000)
      assert.deepStrictEqual([clock.now(), clock.mockTime()], [1_600_000_000, 1_600_000_000])
      clock.setMockTime(0)
      assert.deepStrictEqual([clock.now(), clock.mockTime()], [1_700_000_005, 0])
    }))

  it.effect("begins with a mock time where one is given", () =>
    Effect.gen(function*() {
      const clock = yield* engineClock(1_500_000_000)
      assert.deepStrictEqual([clock.now(), clock.mockTime()], [1_500_000_000, 1_500_000_000])
    }))

  it.effect("measures milliseconds whatever the mock time is", () =>
    Effect.gen(function*() {
      const clock = yield* engineClock()
      const begun = clock.elapsed()
      clock.setMockTime(1)
      yield* TestClock.adjust(1_250)
      assert.strictEqual(clock.elapsed() - begun, 1_250)
    }))
})
