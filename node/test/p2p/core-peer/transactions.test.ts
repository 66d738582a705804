import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { receivedCommands } from "./core-link.ts"
import { NODE } from "../connections/test-layer.ts"
import {
  addCore,
  assertGood,
  BEGINNING,
  type CoreInhabitant,
  coreWorld,
  type CoreWorld,
  type Direction,
  DIRECTIONS,
  type Inhabitant,
  invalidateAt,
  link,
  mineAt,
  mineWith,
  pass,
  setClock,
  unlink,
  until,
  untilSame
} from "./core-world.ts"
import {
  FEE,
  hasInPool,
  OUTPUTS,
  type OutputKind,
  outputOf,
  REWARD,
  rewardAt,
  spend,
  submit
} from "./made-transactions.ts"

const KINDS: ReadonlyArray<OutputKind> = ["witness", "plain"]

/** A world where both have rewards of one kind to spend at the heights 1 to 10, and are at the same tip. */
const funded = Effect.fnUntraced(function*(kind: OutputKind, traits: Parameters<typeof addCore>[1] = {}) {
  const world = yield* coreWorld()
  const core = yield* addCore(world, traits)
  yield* mineAt(world, world.ours, 110, OUTPUTS[kind])
  return { world, core }
})

const join = Effect.fnUntraced(function*(world: CoreWorld, core: CoreInhabitant, direction: Direction) {
  yield* link(world, core, direction)
  yield* untilSame(world, world.ours, core)
  // So that what comes now is announced, and not known from before.
  yield* pass(world, 1_000)
})

/** The reward at a height, spent by one who pays a fee. */
const payment = Effect.fnUntraced(function*(who: Inhabitant, kind: OutputKind, height: number) {
  return spend(kind, [yield* rewardAt(who, height)], [REWARD - FEE])
})

/** The two, with who announces and who is to receive. */
const pairs = (world: CoreWorld, core: CoreInhabitant) =>
  [
    ["ours", world.ours, core],
    ["Core's", core, world.ours]
  ] as const

describe.each(DIRECTIONS)("relay of transactions: %s", (direction) => {
  it.effect.each(KINDS)("one of ours reaches Core and one of Core's us: %s", (kind) =>
    Effect.gen(function*() {
      const { core, world } = yield* funded(kind)
      yield* join(world, core, direction)
      for (const [i, [whose, from, to]] of pairs(world, core).entries()) {
        const tx = yield* payment(from, kind, 1 + i)
        assert.strictEqual(yield* submit(from, tx), "Accepted")
        yield* until(world, `${whose} transaction is there`, () => hasInPool(to, tx))
      }
      assertGood(world)
    }))

  it.effect.each(KINDS)("parents and children, many at once: %s", (kind) =>
    Effect.gen(function*() {
      const { core, world } = yield* funded(kind)
      yield* join(world, core, direction)
      for (const [i, [whose, from, to]] of pairs(world, core).entries()) {
        const chain = [yield* payment(from, kind, 1 + i)]
        for (let j = 2; j < 12; j++) chain.push(spend(kind, [outputOf(chain.at(-1)!)], [REWARD - BigInt(j) * FEE]))
        for (const tx of chain) assert.strictEqual(yield* submit(from, tx), "Accepted")
        yield* until(world, `all of ${whose} are there`, () => chain.every((tx) => hasInPool(to, tx)))
      }
      assertGood(world)
    }))

  it.effect.each(KINDS)(
    "a child whose parent was there before they met: the parent is asked for by its txid, and given: %s",
    (kind) =>
      Effect.gen(function*() {
        const { core, world } = yield* funded(kind)
        yield* link(world, core, direction)
        yield* untilSame(world, world.ours, core)
        for (const [i, [whose, from, to]] of pairs(world, core).entries()) {
          yield* unlink(world, core)
          const parent = yield* payment(from, kind, 1 + i)
          assert.strictEqual(yield* submit(from, parent), "Accepted")
          yield* link(world, core, direction)
          yield* pass(world, 8_000)
          assert.isFalse(hasInPool(to, parent), "neither announces what was there before")
          const child = spend(kind, [outputOf(parent)], [REWARD - 2n * FEE])
          assert.strictEqual(yield* submit(from, child), "Accepted")
          yield* until(world, `${whose} are there`, () => hasInPool(to, child) && hasInPool(to, parent))
        }
        assertGood(world)
      })
  )

  it.effect(
    "what pays less than Core's fee filter is not announced, what pays our least rate comes from Core",
    () =>
      Effect.gen(function*() {
        const { core, world } = yield* funded("witness", { leastFeerate: 1_000n })
        yield* join(world, core, direction)
        const [first, second, third] = [yield* rewardAt(core, 1), yield* rewardAt(core, 2), yield* rewardAt(core, 3)]
        // About 95 virtual bytes: a tenth of a satoshi for each is ten, and one for each is 95.
        const cheap = (input: typeof first) => spend("witness", [input], [REWARD - 20n])
        const [ours, dear, theirs] = [cheap(first), spend("witness", [second], [REWARD - FEE]), cheap(third)]
        for (const tx of [ours, dear]) assert.strictEqual(yield* submit(world.ours, tx), "Accepted")
        assert.strictEqual(yield* submit(core, theirs), "Accepted")
        yield* until(world, "what pays is there", () => hasInPool(core, dear) && hasInPool(world.ours, theirs))
        yield* pass(world, 20_000)
        assert.isFalse(hasInPool(core, ours))
        assertGood(world)
      })
  )

  it.effect("none is announced to a -blocksonly Core", () =>
    Effect.gen(function*() {
      const { core, world } = yield* funded("witness", { isBlocksOnly: true })
      yield* join(world, core, direction)
      assert.strictEqual(yield* submit(world.ours, yield* payment(world.ours, "witness", 1)), "Accepted")
      yield* pass(world, 30_000)
      assertGood(world)
    }))

  it.effect.each(["Core", "our node"] as const)(
    "while %s is in its initial download none are announced to it, and new ones are right after",
    (who) =>
      Effect.gen(function*() {
        const world = yield* coreWorld()
        const core = yield* addCore(world)
        const [late, early] = who === "Core" ? [core, world.ours] : [world.ours, core]
        yield* setClock(early, BEGINNING - 2 * 24 * 3_600)
        yield* mineAt(world, early, 110, OUTPUTS.witness)
        yield* setClock(early, BEGINNING)
        yield* join(world, core, direction)
        assert.deepStrictEqual([late, early].map(({ chain }) => chain.chain.state().initialBlockDownload), [
          true,
          false
        ])
        const missed = yield* payment(early, "witness", 1)
        assert.strictEqual(yield* submit(early, missed), "Accepted")
        yield* pass(world, 30_000)
        assert.isFalse(hasInPool(late, missed))
        yield* mineAt(world, early, 1)
        yield* untilSame(world, late, early, 5_000)
        yield* pass(world, 500)
        const observed = yield* payment(early, "witness", 2)
        assert.strictEqual(yield* submit(early, observed), "Accepted")
        yield* until(world, "the new one is there", () => hasInPool(late, observed))
        assertGood(world)
      })
  )

  it.effect(
    "what a block of either holds leaves both pools, and comes back when a reorganisation takes the block away",
    () =>
      Effect.gen(function*() {
        const { core, world } = yield* funded("witness")
        yield* join(world, core, direction)
        for (const [i, [, from, to]] of pairs(world, core).entries()) {
          const tx = yield* payment(from, "witness", 1 + i)
          assert.strictEqual(yield* submit(from, tx), "Accepted")
          yield* until(world, "it is there", () => hasInPool(to, tx))
          yield* mineWith(world, from, [tx])
          yield* untilSame(world, from, to, 5_000)
          yield* until(world, "it left both", () => !hasInPool(from, tx) && !hasInPool(to, tx), 5_000)
          yield* invalidateAt(from, 1)
          yield* mineAt(world, from, 2)
          yield* untilSame(world, from, to, 5_000)
          yield* until(world, "it is back in both", () => hasInPool(from, tx) && hasInPool(to, tx), 5_000)
        }
        assertGood(world)
      })
  )

  it.effect(
    "a block of known transactions is put together by Core at once, one of unknown ones after it asked for them",
    () =>
      Effect.gen(function*() {
        const { core, world } = yield* funded("witness")
        yield* join(world, core, direction)
        yield* mineAt(world, world.ours, 1)
        yield* untilSame(world, world.ours, core, 3_000)
        const known = yield* payment(world.ours, "witness", 1)
        assert.strictEqual(yield* submit(world.ours, known), "Accepted")
        yield* until(world, "it is there", () => hasInPool(core, known))
        const [peer] = core.open()
        const asked = () => peer!.said.filter(({ command }) => command === "getblocktxn").length
        yield* mineWith(world, world.ours, [known])
        yield* untilSame(world, world.ours, core, 3_000)
        assert.strictEqual(asked(), 0)
        yield* mineWith(world, world.ours, [
          yield* payment(world.ours, "witness", 2),
          yield* payment(world.ours, "witness", 3)
        ])
        yield* untilSame(world, world.ours, core, 3_000)
        assert.strictEqual(asked(), 1)
        assert.include(receivedCommands(peer!), "blocktxn")
        assertGood(world)
      })
  )
})

describe("Core connects to us for blocks alone", () => {
  it.effect("no transaction is announced to it, and blocks are", () =>
    Effect.gen(function*() {
      const { core, world } = yield* funded("witness")
      yield* core.dial(NODE, "block-relay-only")
      yield* untilSame(world, world.ours, core)
      assert.strictEqual(yield* submit(world.ours, yield* payment(world.ours, "witness", 1)), "Accepted")
      yield* pass(world, 30_000)
      yield* mineAt(world, world.ours, 1)
      yield* untilSame(world, world.ours, core, 3_000)
      assertGood(world)
    }))
})

describe("between two Cores that do not know each other", () => {
  it.effect("transactions go through us both ways", () =>
    Effect.gen(function*() {
      const { core: a, world } = yield* funded("witness")
      const b = yield* addCore(world)
      yield* link(world, a, "we connect to Core")
      yield* link(world, b, "Core connects to us")
      yield* untilSame(world, a, world.ours)
      yield* untilSame(world, b, world.ours)
      for (const [i, [from, to]] of ([[a, b], [b, a]] as const).entries()) {
        const tx = yield* payment(from, "witness", 1 + i)
        assert.strictEqual(yield* submit(from, tx), "Accepted")
        yield* until(world, "it went through us", () => hasInPool(to, tx))
      }
      assertGood(world)
    }))
})
