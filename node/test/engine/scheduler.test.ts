import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { makeScheduler } from "../../src/engine/options/scheduler.ts"

const HOUR = 3_600_000

describe("the scheduler of periodic tasks", () => {
  const counted = Effect.gen(function*() {
    const scheduler = yield* makeScheduler
    const runs = { hourly: 0, daily: 0 }
    const count = (name: keyof typeof runs) => Effect.sync(() => void runs[name]++)
    yield* Effect.forkScoped(scheduler.every(Duration.hours(1), count("hourly")), { startImmediately: true })
    yield* Effect.forkScoped(scheduler.every(Duration.days(1), count("daily")), { startImmediately: true })
    return { scheduler, runs }
  })

  it.effect("runs each after its interval, again and again", () =>
    Effect.gen(function*() {
      const { runs } = yield* counted
      yield* TestClock.adjust(HOUR - 1)
      assert.deepStrictEqual(runs, { hourly: 0, daily: 0 })
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(runs, { hourly: 1, daily: 0 })
      for (let hour = 1; hour < 24; hour++) yield* TestClock.adjust(HOUR)
      assert.deepStrictEqual(runs, { hourly: 24, daily: 1 })
    }))

  it.effect("runs those that are due when it is moved forward, and no others", () =>
    Effect.gen(function*() {
      const { runs, scheduler } = yield* counted
      scheduler.moveForward(HOUR - 1)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(runs, { hourly: 0, daily: 0 })
      scheduler.moveForward(1)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(runs, { hourly: 1, daily: 0 })
      assert.strictEqual(scheduler.ahead(), HOUR)
      // The next time comes after the whole interval.
      yield* TestClock.adjust(HOUR - 1)
      assert.strictEqual(runs.hourly, 1)
      yield* TestClock.adjust(1)
      assert.strictEqual(runs.hourly, 2)
    }))
})
