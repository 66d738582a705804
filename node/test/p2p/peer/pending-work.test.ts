import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { pendingWork } from "../../../src/p2p/peer/pending-work.ts"

describe("work that later messages wait for", () => {
  it.effect("is settled when all of it has ended, each part once", () =>
    Effect.gen(function*() {
      const work = pendingWork()
      assert.isTrue(work.isSettled())
      yield* work.settled
      const [first, second] = [work.begin(), work.begin()]
      const ended: Array<string> = []
      const waiting = yield* Effect.forkChild(
        Effect.map(work.settled, () => void ended.push("settled")),
        { startImmediately: true }
      )
      first()
      first()
      yield* Effect.yieldNow
      assert.deepStrictEqual([work.isSettled(), ended], [false, []])
      second()
      yield* Fiber.join(waiting)
      assert.deepStrictEqual([work.isSettled(), ended], [true, ["settled"]])
    }))

  it.effect("counts from when it begins, and ends whether it succeeds or not", () =>
    Effect.gen(function*() {
      const work = pendingWork()
      const seen: Array<boolean> = []
      const look = Effect.sync(() => void seen.push(work.isSettled()))
      yield* work.run(look)
      assert.deepStrictEqual([seen, work.isSettled()], [[false], true])
      const exit = yield* Effect.exit(work.run(Effect.die("broken")))
      assert.deepStrictEqual([exit._tag, work.isSettled()], ["Failure", true])
    }))

  it.effect("lets one go that no longer waits", () =>
    Effect.gen(function*() {
      const work = pendingWork()
      const end = work.begin()
      const [gone, stays] = [
        yield* Effect.forkChild(work.settled, { startImmediately: true }),
        yield* Effect.forkChild(work.settled, { startImmediately: true })
      ]
      yield* Fiber.interrupt(gone)
      end()
      yield* Fiber.join(stays)
      const again = work.begin()
      assert.isFalse(work.isSettled())
      again()
      yield* work.settled
    }))
})
