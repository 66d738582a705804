import { assert, describe, it } from "@effect/vitest"
import { ancestorAt } from "@lockstep/kernel/chain"
import * as Effect from "effect/Effect"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { has } from "../../../src/engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { PRUNED } from "./core-node.ts"
import {
  addCore,
  assertGood,
  copyChain,
  coreWorld,
  DIRECTIONS,
  heightOf,
  link,
  mineAt,
  pass,
  tipOf,
  unlink,
  until,
  untilSame
} from "./core-world.ts"

const PRUNE = { pruning: { _tag: "Manual" } } as const

describe.each(DIRECTIONS)("a pruned Core: %s", (direction) => {
  it.effect("is followed near the tip, and reorganised with", () =>
    Effect.gen(function*() {
      const world = yield* coreWorld()
      const core = yield* addCore(world, { services: PRUNED })
      yield* mineAt(world, world.ours, 20)
      yield* link(world, core, direction)
      yield* untilSame(world, core, world.ours)
      for (const blocks of [1, 12, 100]) {
        yield* mineAt(world, core, blocks)
        yield* untilSame(world, world.ours, core, 20_000)
      }
      yield* unlink(world, core)
      yield* mineAt(world, world.ours, 9)
      yield* mineAt(world, core, 10)
      yield* link(world, core, direction)
      yield* untilSame(world, world.ours, core)
      assertGood(world)
    }))

  it.effect(
    "serves what it keeps of a long gap, and is asked for nothing below that; an archive node serves the rest",
    () =>
      Effect.gen(function*() {
        const world = yield* coreWorld()
        const core = yield* addCore(world, { services: PRUNED })
        yield* mineAt(world, world.ours, 20)
        yield* link(world, core, direction)
        yield* untilSame(world, core, world.ours)
        yield* unlink(world, core)
        yield* mineAt(world, core, 300)
        yield* link(world, core, direction)
        const { tree } = world.ours.chain.chain
        const isHere = (height: number) =>
          has(tree, ancestorAt(tree.bestHeader, height) as HeaderIndexNode, HeaderStatus.STORED)
        yield* until(world, "its headers are here", () => tree.bestHeader.height === 320, 5_000)
        yield* until(world, "what it keeps is here", () => isHere(320) && isHere(320 - 285), 20_000)
        assert.strictEqual(heightOf(world.ours), 20)
        assert.isFalse(isHere(320 - 286))
        // The same chain from a node that has all of it.
        const whole = yield* addCore(world)
        yield* copyChain(core, whole)
        yield* link(world, whole, direction)
        yield* untilSame(world, world.ours, whole)
        assertGood(world)
      })
  )

  it.effect("is not what we begin with: its headers come, and blocks of another peer", () =>
    Effect.gen(function*() {
      const world = yield* coreWorld()
      const core = yield* addCore(world, { services: PRUNED })
      yield* mineAt(world, core, 40)
      yield* link(world, core, direction)
      yield* pass(world, 5_000)
      assert.strictEqual(heightOf(world.ours), 0)
      assert.strictEqual(world.ours.chain.chain.state().headersHeight, 40)
      assertGood(world)
    }))
})

describe.each(DIRECTIONS)("our node is pruned: %s", (direction) => {
  it.effect("Core follows it near the tip, and does not begin with it", () =>
    Effect.gen(function*() {
      const world = yield* coreWorld(PRUNE)
      const core = yield* addCore(world)
      yield* mineAt(world, core, 20)
      yield* link(world, core, direction)
      yield* untilSame(world, world.ours, core)
      for (const blocks of [1, 30]) {
        yield* mineAt(world, world.ours, blocks)
        yield* untilSame(world, core, world.ours, 20_000)
      }
      yield* unlink(world, core)
      const empty = yield* addCore(world)
      yield* link(world, empty, "Core connects to us")
      yield* pass(world, 5_000)
      assert.strictEqual(heightOf(empty), 0)
      assert.notStrictEqual(tipOf(empty), tipOf(world.ours))
      assertGood(world)
    }))
})
