import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { addCore, assertGood, coreWorld, DIRECTIONS, heightOf, link, mineAt, untilSame } from "./core-world.ts"

describe.each(DIRECTIONS)("full sync: %s", (direction) => {
  it.effect("we download all of Core's chain", () =>
    Effect.gen(function*() {
      const world = yield* coreWorld()
      const core = yield* addCore(world)
      yield* mineAt(world, core, 210)
      yield* link(world, core, direction)
      yield* untilSame(world, world.ours, core)
      assert.strictEqual(heightOf(world.ours), 210)
      assertGood(world)
    }))

  it.effect("Core downloads all of our chain", () =>
    Effect.gen(function*() {
      const world = yield* coreWorld()
      const core = yield* addCore(world)
      yield* mineAt(world, world.ours, 210)
      yield* link(world, core, direction)
      yield* untilSame(world, world.ours, core)
      assert.strictEqual(heightOf(core), 210)
      assertGood(world)
    }))
})
