import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  type CoreInhabitant,
  addCore,
  assertGood,
  coreWorld,
  type CoreWorld,
  DIRECTIONS,
  link,
  mineAt,
  pass,
  tipOf,
  untilSame
} from "./core-world.ts"
import { receivedCommands } from "./core-link.ts"

/** How Core learns of the last blocks from us, after both are connected and at the same tip. */
const sinceThen = (core: CoreInhabitant, from: number) => receivedCommands(core.open()[0]!).slice(from)

const heardSoFar = (core: CoreInhabitant): number => core.open()[0]!.received.length

/** Both at the same tip of some blocks, connected, and quiet. */
const together = Effect.fnUntraced(
  function*(world: CoreWorld, core: CoreInhabitant, direction: (typeof DIRECTIONS)[number]) {
    yield* mineAt(world, core, 20)
    yield* link(world, core, direction)
    yield* untilSame(world, world.ours, core)
    yield* pass(world, 2_000)
  }
)

describe.each(DIRECTIONS)("following the tip: %s", (direction) => {
  it.effect("each block of Core's is here at once, and each of ours is there", () =>
    Effect.gen(function*() {
      const world = yield* coreWorld()
      const core = yield* addCore(world)
      yield* together(world, core, direction)
      for (let i = 0; i < 4; i++) {
        yield* mineAt(world, core, 1)
        yield* untilSame(world, world.ours, core, 2_000)
        yield* mineAt(world, world.ours, 1)
        yield* untilSame(world, world.ours, core, 2_000)
      }
      assertGood(world)
    }))

  it.effect(
    "our blocks are requested as compact blocks, then announced as such, and nothing is missing of them",
    () =>
      Effect.gen(function*() {
        const world = yield* coreWorld()
        const core = yield* addCore(world)
        yield* together(world, core, direction)
        // Core, which we have everything from, has not received what we have: so the first block is announced by its name.
        const first = heardSoFar(core)
        yield* mineAt(world, world.ours, 1)
        yield* untilSame(world, world.ours, core, 2_000)
        assert.deepStrictEqual(sinceThen(core, first), ["inv", "headers", "cmpctblock"])
        yield* pass(world, 500)
        const before = heardSoFar(core)
        yield* mineAt(world, world.ours, 1)
        yield* untilSame(world, world.ours, core, 2_000)
        // It asked us after the first block to announce by compact blocks at once.
        assert.isTrue(core.open()[0]!.said.some((message) => message.command === "sendcmpct" && message.announce))
        assert.deepStrictEqual(sinceThen(core, before), ["cmpctblock"])
        yield* mineAt(world, world.ours, 1)
        yield* untilSame(world, world.ours, core, 2_000)
        assert.deepStrictEqual(sinceThen(core, before), ["cmpctblock", "cmpctblock"])
        assertGood(world)
      })
  )

  it.effect("many blocks at once, either way, come by name and are fetched", () =>
    Effect.gen(function*() {
      const world = yield* coreWorld()
      const core = yield* addCore(world)
      yield* together(world, core, direction)
      for (const who of [core, world.ours, core]) {
        yield* mineAt(world, who, 30)
        yield* untilSame(world, world.ours, core, 5_000)
      }
      assertGood(world)
    }))

  it.effect(
    "from genesis on, where no peer has shown a chain and blocks are announced by inv",
    () =>
      Effect.gen(function*() {
        const world = yield* coreWorld()
        const core = yield* addCore(world)
        yield* link(world, core, direction)
        yield* pass(world, 3_000)
        for (const who of [core, world.ours, world.ours, core]) {
          yield* mineAt(world, who, 1)
          yield* untilSame(world, world.ours, core, 3_000)
        }
        assertGood(world)
      })
  )

  it.effect("with a -blocksonly Core", () =>
    Effect.gen(function*() {
      const world = yield* coreWorld()
      const core = yield* addCore(world, { isBlocksOnly: true })
      yield* together(world, core, direction)
      for (const who of [core, world.ours]) {
        yield* mineAt(world, who, 1)
        yield* untilSame(world, world.ours, core, 2_000)
      }
      assertGood(world)
    }))
})

describe("between two Cores that do not know each other", () => {
  it.effect("blocks go through us both ways", () =>
    Effect.gen(function*() {
      const world = yield* coreWorld()
      const [a, b] = [yield* addCore(world), yield* addCore(world)]
      yield* mineAt(world, a, 40)
      yield* link(world, a, "we connect to Core")
      yield* link(world, b, "Core connects to us")
      yield* untilSame(world, b, a)
      for (const who of [a, b, world.ours, a]) {
        yield* mineAt(world, who, 1)
        yield* untilSame(world, a, world.ours, 4_000)
        yield* untilSame(world, b, world.ours, 4_000)
      }
      assert.strictEqual(tipOf(a), tipOf(b))
      assertGood(world)
    }))
})
