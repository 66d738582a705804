import { assert, describe, it } from "@effect/vitest"
import { headerOf } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import { say } from "./core-state.ts"
import {
  addCore,
  assertGood,
  BEGINNING,
  copyChain,
  type CoreInhabitant,
  coreWorld,
  type CoreWorld,
  heightOf,
  link,
  mineAt,
  pass,
  setClock,
  until,
  untilSame
} from "./core-world.ts"

const DAY = 24 * 3_600

/** Heights of blocks that the node awaits from any peer. */
const awaited = ({ layer: { service } }: CoreWorld): ReadonlyArray<number> =>
  [...service.peers.values()].flatMap((peer) => service.figures.sync(peer).inFlight)

const isConnected = ({ layer: { service } }: CoreWorld, core: CoreInhabitant): boolean =>
  [...service.peers.values()].some(({ name }) => name === endpointText(core.at))

describe("whom blocks come from", () => {
  it.effect(
    "an untrusted inbound peer that has the chain, when the outbound one has nothing",
    () =>
      Effect.gen(function*() {
        const world = yield* coreWorld()
        const [chosen, other] = [yield* addCore(world), yield* addCore(world)]
        yield* mineAt(world, other, 50)
        yield* link(world, chosen, "we connect to Core")
        yield* pass(world, 2_000)
        yield* link(world, other, "Core connects to us")
        yield* untilSame(world, world.ours, other)
        yield* untilSame(world, chosen, other)
        assertGood(world)
      })
  )

  it.effect(
    "the other one, when a Core that was restarted is there again and has lost what it announced",
    () =>
      Effect.gen(function*() {
        const world = yield* coreWorld()
        const [first, second] = [yield* addCore(world), yield* addCore(world)]
        yield* mineAt(world, first, 20)
        yield* link(world, first, "we connect to Core")
        yield* untilSame(world, world.ours, first)
        yield* copyChain(first, second)
        yield* link(world, second, "Core connects to us")
        yield* pass(world, 1_000)
        yield* mineAt(world, second, 3)
        yield* untilSame(world, world.ours, second, 5_000)
        yield* untilSame(world, first, second, 5_000)
        assertGood(world)
      })
  )

  it.effect(
    "once a block is here, no peer is waited for that was asked for it and does not send it",
    () =>
      Effect.gen(function*() {
        const world = yield* coreWorld()
        const [silent, other] = [yield* addCore(world, { givesNoBlocks: true }), yield* addCore(world)]
        yield* mineAt(world, silent, 20)
        yield* copyChain(silent, other)
        yield* copyChain(silent, world.ours)
        yield* link(world, silent, "we connect to Core")
        yield* link(world, other, "Core connects to us")
        yield* pass(world, 1_000)
        yield* mineAt(world, silent, 1)
        yield* until(world, "the silent one is asked", () => awaited(world).includes(21), 5_000)
        const { chain } = silent.chain
        const bytes = (yield* chain.blockBytes(chain.tree.tip))!.slice()
        say(other.open()[0]!, { command: "block", header: headerOf(bytes.slice(0, 80)), bytes })
        yield* until(world, "the block is here", () => heightOf(world.ours) === 21, 5_000)
        assert.deepStrictEqual(awaited(world), [])
        yield* pass(world, 15 * 60_000)
        assert.isTrue(isConnected(world, silent))
      })
  )
})

describe("when setmocktime sets the clock of both to another time", () => {
  it.effect.each([["past", BEGINNING - 400 * DAY], ["future", BEGINNING + 400 * DAY]] as const)(
    "in the %s: blocks are new by that clock",
    ([, time]) =>
      Effect.gen(function*() {
        const world = yield* coreWorld()
        const core = yield* addCore(world)
        for (const who of [core, world.ours]) yield* setClock(who, time)
        core.clock.ahead = (time - BEGINNING) * 1_000
        yield* mineAt(world, core, 20)
        yield* link(world, core, "Core connects to us")
        yield* untilSame(world, world.ours, core)
        yield* pass(world, 1_000)
        const other = yield* addCore(world)
        yield* setClock(other, time)
        other.clock.ahead = core.clock.ahead
        yield* copyChain(core, other)
        yield* link(world, other, "Core connects to us")
        yield* pass(world, 1_000)
        // All peers are asked for headers near the present, and blocks of new headers at once, in their compact form.
        const { service } = world.layer
        assert.deepStrictEqual([...service.peers.values()].map((peer) => service.figures.sync(peer).headersHeight), [
          20,
          20
        ])
        for (let i = 0; i < 3; i++) {
          yield* mineAt(world, world.ours, 1)
          yield* untilSame(world, core, world.ours, 3_000)
          yield* untilSame(world, other, world.ours, 3_000)
        }
        assert.strictEqual(core.open()[0]!.received.at(-1)?.command, "cmpctblock")
        assertGood(world)
      })
  )
})
