import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { makeBacklog } from "../../../src/engine/intake/backlog.ts"
import { patience } from "../../process/patience.ts"

/** Only what never comes takes this long. */
const NEVER = patience(5_000)

const entry = (index: number): HeaderIndexNode => ({ index }) as HeaderIndexNode

describe("the backlog of blocks that wait to be connected", () => {
  it.live("holds further senders back, until there is room or nothing is being connected", () =>
    Effect.gen(function*() {
      const backlog = makeBacklog(100)
      backlog.add(entry(1), 60)
      yield* Effect.timeout(backlog.room, NEVER)
      backlog.add(entry(2), 60)
      const held = yield* Effect.forkChild(backlog.room, { startImmediately: true })
      yield* Effect.yieldNow
      assert.isUndefined(held.pollUnsafe())
      backlog.remove(entry(7))
      assert.isUndefined(held.pollUnsafe(), "that one was not in it")
      backlog.remove(entry(1))
      yield* Effect.timeout(Fiber.join(held), NEVER)
      backlog.add(entry(3), 60)
      const others = yield* Effect.forkChild(Effect.all([backlog.room, backlog.room], { concurrency: 2 }), {
        startImmediately: true
      })
      yield* Effect.yieldNow
      backlog.clear()
      yield* Effect.timeout(Fiber.join(others), NEVER)
      yield* Effect.timeout(backlog.room, NEVER)
    }))

  const isHeld = ({ room }: ReturnType<typeof makeBacklog>) =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(room, { startImmediately: true })
      yield* Effect.yieldNow
      const held = fiber.pollUnsafe() === undefined
      yield* Fiber.interrupt(fiber)
      return held
    })

  it.live("is as large as all blocks in it, and may be just as large as the limit", () =>
    Effect.gen(function*() {
      const backlog = makeBacklog(100)
      backlog.add(entry(1), 60)
      backlog.add(entry(2), 40)
      assert.isFalse(yield* isHeld(backlog))
      backlog.add(entry(3), 1)
      assert.isTrue(yield* isHeld(backlog))
      backlog.remove(entry(3))
      backlog.remove(entry(3))
      assert.isFalse(yield* isHeld(backlog))
      backlog.add(entry(3), 1)
      assert.isTrue(yield* isHeld(backlog))
      backlog.clear()
      // What was in it before does not count when it is taken out now.
      backlog.add(entry(4), 101)
      backlog.remove(entry(1))
      assert.isTrue(yield* isHeld(backlog))
      backlog.remove(entry(4))
      assert.isFalse(yield* isHeld(backlog))
    }))

  it.live("waits for all, also for one that is connected and was not notified yet", () =>
    Effect.gen(function*() {
      const backlog = makeBacklog(100)
      backlog.add(entry(1), 10)
      backlog.remove(entry(1))
      const all = yield* Effect.forkChild(backlog.allGone, { startImmediately: true })
      yield* Effect.yieldNow
      assert.isUndefined(all.pollUnsafe())
      backlog.notify()
      yield* Effect.timeout(Fiber.join(all), NEVER)
      yield* Effect.timeout(backlog.allGone, NEVER)
    }))

  it.live("answers all that wait for a block once it is connected and that was notified, however many they are", () =>
    Effect.gen(function*() {
      const backlog = makeBacklog(100)
      backlog.add(entry(1), 10)
      backlog.add(entry(2), 10)
      const waits = (index: number) => Effect.forkChild(backlog.gone(entry(index)), { startImmediately: true })
      const [first, second, other] = [yield* waits(1), yield* waits(1), yield* waits(2)]
      const ended = () => [first, second, other].map((fiber) => fiber.pollUnsafe() !== undefined)
      backlog.notify()
      yield* Effect.yieldNow
      assert.deepStrictEqual(ended(), [false, false, false])
      backlog.remove(entry(1))
      yield* Effect.yieldNow
      assert.deepStrictEqual(ended(), [false, false, false], "it is not on disk yet")
      backlog.notify()
      yield* Effect.timeout(Effect.all([Fiber.join(first), Fiber.join(second)]), "1 second")
      assert.deepStrictEqual(ended(), [true, true, false])
      backlog.clear()
      backlog.notify()
      yield* Effect.timeout(Fiber.join(other), "1 second")
    }))
})
