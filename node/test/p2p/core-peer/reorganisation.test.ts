import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  addCore,
  assertGood,
  coreWorld,
  type CoreWorld,
  DIRECTIONS,
  heightOf,
  type Inhabitant,
  invalidateAt,
  link,
  mineAt,
  pass,
  tipOf,
  unlink,
  untilSame
} from "./core-world.ts"

const DEPTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

/** The first by headers; the second by headers up to eight blocks, else by name; the third always by name. */
const WAYS = ["one after another", "all at once", "one after another, by name"] as const

describe.each(DIRECTIONS)("reorganisations of depth 1 to 10: %s", (direction) => {
  it.effect("Core finds another branch while it is away, and we follow", () =>
    Effect.gen(function*() {
      const world = yield* coreWorld()
      const core = yield* addCore(world)
      yield* mineAt(world, core, 30)
      yield* link(world, core, direction)
      yield* untilSame(world, world.ours, core)
      for (const depth of DEPTHS) {
        yield* unlink(world, core)
        yield* mineAt(world, world.ours, depth)
        yield* mineAt(world, core, depth + 1)
        yield* link(world, core, direction)
        yield* untilSame(world, world.ours, core, 10_000)
      }
      assertGood(world)
    }))

  it.effect("we find another branch while we are away, and Core follows", () =>
    Effect.gen(function*() {
      const world = yield* coreWorld()
      const core = yield* addCore(world)
      yield* mineAt(world, world.ours, 30)
      yield* link(world, core, direction)
      yield* untilSame(world, world.ours, core)
      for (const depth of DEPTHS) {
        yield* unlink(world, core)
        yield* mineAt(world, core, depth)
        yield* mineAt(world, world.ours, depth + 1)
        yield* link(world, core, direction)
        yield* untilSame(world, world.ours, core, 10_000)
      }
      assertGood(world)
    }))

  describe.each(WAYS)("invalidateblock, and then blocks of another branch %s", (how) => {
    const traits = { isByName: how === "one after another, by name" }
    const mine = Effect.fnUntraced(function*(world: CoreWorld, who: Inhabitant, blocks: number) {
      if (how === "all at once") return yield* mineAt(world, who, blocks)
      for (let i = 0; i < blocks; i++) {
        yield* mineAt(world, who, 1)
        yield* pass(world, 500)
      }
      return undefined
    })

    it.effect(
      "on Core: we stay where we are until its branch is better, and then follow",
      () =>
        Effect.gen(function*() {
          const world = yield* coreWorld()
          const core = yield* addCore(world, traits)
          yield* mineAt(world, core, 30)
          yield* link(world, core, direction)
          yield* untilSame(world, world.ours, core)
          yield* pass(world, 1_000)
          for (const depth of DEPTHS) {
            const before = tipOf(world.ours)
            yield* invalidateAt(core, depth)
            yield* pass(world, 500)
            yield* mine(world, core, depth)
            yield* pass(world, 1_000)
            assert.strictEqual(tipOf(world.ours), before)
            yield* mine(world, core, 1)
            yield* untilSame(world, world.ours, core, 10_000)
          }
          assertGood(world)
        })
    )

    it.effect("on our node: Core stays until our branch is better, and then follows", () =>
      Effect.gen(function*() {
        const world = yield* coreWorld()
        const core = yield* addCore(world, traits)
        yield* mineAt(world, world.ours, 30)
        yield* link(world, core, direction)
        yield* untilSame(world, world.ours, core)
        yield* pass(world, 1_000)
        for (const depth of DEPTHS) {
          const before = tipOf(core)
          yield* invalidateAt(world.ours, depth)
          yield* pass(world, 500)
          yield* mine(world, world.ours, depth)
          yield* pass(world, 1_000)
          assert.strictEqual(tipOf(core), before)
          yield* mine(world, world.ours, 1)
          yield* untilSame(world, world.ours, core, 10_000)
        }
        assertGood(world)
      }))
  })

  it.effect(
    "deeper than what is announced at once, and deeper than what a peer is asked for at a time",
    () =>
      Effect.gen(function*() {
        const world = yield* coreWorld()
        const core = yield* addCore(world)
        yield* mineAt(world, core, 100)
        yield* link(world, core, direction)
        yield* untilSame(world, world.ours, core)
        for (const [loser, winner] of [[world.ours, core], [core, world.ours]] as const) {
          yield* unlink(world, core)
          yield* mineAt(world, loser, 40)
          yield* mineAt(world, winner, 45)
          yield* link(world, core, direction)
          yield* untilSame(world, world.ours, core, 20_000)
        }
        assert.strictEqual(heightOf(core), 190)
        assertGood(world)
      })
  )

  it.effect(
    "two branches of the same length: each keeps what it saw first until a block decides",
    () =>
      Effect.gen(function*() {
        const world = yield* coreWorld()
        const core = yield* addCore(world)
        yield* mineAt(world, core, 20)
        yield* link(world, core, direction)
        yield* untilSame(world, world.ours, core)
        for (const decides of [core, world.ours]) {
          yield* unlink(world, core)
          yield* mineAt(world, world.ours, 2)
          yield* mineAt(world, core, 2)
          yield* link(world, core, direction)
          yield* pass(world, 3_000)
          assert.notStrictEqual(tipOf(world.ours), tipOf(core))
          yield* mineAt(world, decides, 1)
          yield* untilSame(world, world.ours, core, 10_000)
        }
        assertGood(world)
      })
  )
})
