import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Exit from "effect/Exit"
import * as TestClock from "effect/testing/TestClock"
import { MAX_TIMERS, moduleTimers } from "../../src/modules/api/module-timers.ts"

/** Timers of a module, and the ids of those that fired. */
const timers = Effect.gen(function*() {
  const fired: Array<number> = []
  const scope = yield* Effect.scope
  return { fired, scope, ...moduleTimers(scope, (id) => void fired.push(id)) }
})

const scoped = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.scoped(effect)

describe("the timers of a module", () => {
  for (const seconds of [0, 1]) {
    it.effect(`fire once each when more than the most are set one after another, after ${seconds} seconds`, () =>
      scoped(Effect.gen(function*() {
        const { after, fired } = yield* timers
        const ids: Array<number> = []
        for (let i = 0; i < 2 * MAX_TIMERS + 1; i++) {
          ids.push(yield* after(seconds))
          yield* TestClock.adjust(1_000 * seconds)
          yield* Effect.yieldNow
        }
        assert.deepStrictEqual(fired, ids)
        assert.strictEqual(new Set(ids).size, ids.length)
      })))
  }

  it.effect("are at most so many at once, and one that is cancelled or has fired makes room", () =>
    scoped(Effect.gen(function*() {
      const { after, cancel, every, fired } = yield* timers
      const ids: Array<number> = []
      for (let i = 0; i < MAX_TIMERS; i++) ids.push(yield* i % 2 === 0 ? every(100) : after(200))
      assert.strictEqual((yield* Effect.flip(after(1))).kind, "ResourceExhausted")
      assert.strictEqual((yield* Effect.flip(every(1))).kind, "ResourceExhausted")
      yield* cancel(ids[0]!)
      yield* after(300)
      assert.strictEqual((yield* Effect.flip(after(1))).kind, "ResourceExhausted")
      yield* TestClock.adjust("250 seconds")
      assert.notInclude(fired, ids[0])
      assert.strictEqual(fired.filter((id) => id === ids[2]).length, 2)
      // Those that fire once have made room, and no more than that.
      for (let i = 0; i < MAX_TIMERS / 2; i++) yield* after(100)
      assert.strictEqual((yield* Effect.flip(after(1))).kind, "ResourceExhausted")
    })))

  it.effect("do not fire once they are cancelled, and cannot be cancelled twice or after they fired", () =>
    scoped(Effect.gen(function*() {
      const { after, cancel, every, fired } = yield* timers
      const [once, again, gone] = [yield* after(1), yield* every(1), yield* after(1)]
      yield* cancel(gone)
      yield* TestClock.adjust("1 seconds")
      assert.deepStrictEqual([...fired].sort(), [once, again].sort())
      for (const id of [gone, once, 99]) {
        assert.include((yield* Effect.flip(cancel(id))).text, `there is no timer ${id}`)
      }
      yield* cancel(again)
      yield* TestClock.adjust("10 seconds")
      assert.lengthOf(fired, 2)
    })))

  it.effect("take times of a year at most, and intervals of a second at least", () =>
    scoped(Effect.gen(function*() {
      const { after, every } = yield* timers
      const year = 365 * 24 * 60 * 60
      yield* after(0)
      yield* every(1)
      yield* after(year)
      yield* every(year)
      for (const refused of [after(-1), after(year + 1), every(0), every(year + 1)]) {
        assert.include((yield* Effect.flip(refused)).text, `to ${year} seconds`)
      }
    })))

  it.effect("end with their module", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const fired: Array<number> = []
      const { after, every } = moduleTimers(scope, (id) => void fired.push(id))
      yield* after(5)
      yield* every(5)
      yield* Scope.close(scope, Exit.void)
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(fired, [])
    }))
})
