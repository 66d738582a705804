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
})
