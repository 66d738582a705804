import { assert, describe, it } from "@effect/vitest"
import { ancestorAt } from "@lockstep/kernel/chain"
import { headerOf } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import { NODE } from "../connections/test-layer.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { drop, say } from "./core-state.ts"
import {
  addCore,
  assertGood,
  copyChain,
  type CoreInhabitant,
  coreWorld,
  type CoreWorld,
  DIRECTIONS,
  heightOf,
  invalidateAt,
  link,
  mineAt,
  pass,
  tipOf,
  until,
  untilSame
} from "./core-world.ts"

const MINUTE = 60_000

const isDiscouraged = ({ layer: { reputation } }: CoreWorld, { at }: CoreInhabitant): boolean =>
  reputation.discouraged.has(at.address)

/** A block of a best chain, as bytes. */
const blockAt = Effect.fnUntraced(function*({ chain: { chain } }: CoreInhabitant, height: number) {
  return (yield* chain.blockBytes(ancestorAt(chain.tree.tip, height) as HeaderIndexNode))!.slice()
})

describe.each(DIRECTIONS)("a connection lasts: %s", (direction) => {
  it.effect("over half an hour of nothing but pings, and what comes then is there", () =>
    Effect.gen(function*() {
      const world = yield* coreWorld()
      const core = yield* addCore(world)
      yield* mineAt(world, core, 20)
      yield* link(world, core, direction)
      yield* untilSame(world, world.ours, core)
      const [first] = core.open()
      yield* pass(world, 31 * MINUTE, 1_000)
      assert.strictEqual(core.open().length, 1)
      assert.strictEqual(core.open()[0], first)
      assert.isAbove(first!.received.filter(({ command }) => command === "ping").length, 12)
      for (const who of [core, world.ours]) {
        yield* mineAt(world, who, 1)
        yield* untilSame(world, world.ours, core, 5_000)
      }
      assertGood(world)
    }))

  it.effect("is made anew when it broke, and when Core was away for minutes", () =>
    Effect.gen(function*() {
      const world = yield* coreWorld()
      const core = yield* addCore(world)
      yield* mineAt(world, core, 20)
      yield* link(world, core, direction)
      yield* untilSame(world, world.ours, core)
      world.layer.world.drop(NODE.address, core.at.address)
      yield* pass(world, 200)
      if (direction === "Core connects to us") yield* core.dial(NODE)
      yield* mineAt(world, core, 1)
      yield* untilSame(world, world.ours, core, 5_000)
      world.layer.world.partition([[NODE.address], [core.at.address]])
      world.layer.world.drop(NODE.address, core.at.address)
      yield* mineAt(world, core, 2)
      yield* pass(world, 5 * MINUTE, 1_000)
      world.layer.world.heal()
      if (direction === "Core connects to us") yield* core.dial(NODE)
      yield* untilSame(world, world.ours, core, 70_000)
      assertGood(world)
    }))
})

describe("Core chose us itself", () => {
  it.effect.each(["outbound-full-relay", "block-relay-only"] as const)(
    "and keeps us, since it learns that we follow: %s",
    (kind) =>
      Effect.gen(function*() {
        const world = yield* coreWorld()
        const core = yield* addCore(world)
        yield* mineAt(world, core, 20)
        yield* core.dial(NODE, kind)
        yield* untilSame(world, world.ours, core)
        yield* mineAt(world, core, 3)
        yield* untilSame(world, world.ours, core, 5_000)
        // We do not announce to it what came from it; after twenty minutes it asks.
        yield* pass(world, 26 * MINUTE, 1_000)
        assert.strictEqual(core.open().length, 1)
        assertGood(world)
      })
  )
})

describe("blocks that one of them declared invalid", () => {
  it.effect(
    "Core builds on a block that we hold for invalid: an untrusted peer is disconnected, one that the operator wants is kept",
    () =>
      Effect.gen(function*() {
        for (const direction of DIRECTIONS) {
          const world = yield* coreWorld()
          const core = yield* addCore(world)
          yield* mineAt(world, core, 20)
          yield* link(world, core, direction)
          yield* untilSame(world, world.ours, core)
          yield* pass(world, 1_000)
          yield* invalidateAt(world.ours, 1)
          yield* mineAt(world, core, 1)
          yield* pass(world, 2_000)
          const isInbound = direction === "Core connects to us"
          assert.strictEqual(core.open().length, isInbound ? 0 : 1)
          assert.strictEqual(isDiscouraged(world, core), isInbound)
          assert.strictEqual(heightOf(world.ours), 19)
        }
      })
  )

  it.effect(
    "we build on a block that Core holds for invalid: it disconnects us; once it reconsiders the block we are together",
    () =>
      Effect.gen(function*() {
        const world = yield* coreWorld()
        const core = yield* addCore(world)
        yield* mineAt(world, core, 20)
        yield* link(world, core, "we connect to Core")
        yield* untilSame(world, world.ours, core)
        // From now on it is sent ours by headers.
        yield* mineAt(world, world.ours, 1)
        yield* untilSame(world, world.ours, core)
        yield* pass(world, 1_000)
        const hash = core.chain.chain.tree.tip.hash.slice()
        yield* invalidateAt(core, 1)
        yield* mineAt(world, world.ours, 1)
        yield* until(world, "it lets go", () => core.state.dropped.length > 0, 5_000)
        assert.match(core.state.dropped[0]!, /bad-prevblk/)
        core.state.dropped.length = 0
        yield* core.engine.call("reconsiderBlock", { hash })
        // By the next try at the latest.
        yield* untilSame(world, core, world.ours, 70_000)
        assert.deepStrictEqual(core.state.dropped, [])
      })
  )

  it.effect("Core takes its word back, and goes on with what we have", () =>
    Effect.gen(function*() {
      const world = yield* coreWorld()
      const core = yield* addCore(world)
      yield* mineAt(world, core, 20)
      yield* link(world, core, "Core connects to us")
      yield* untilSame(world, world.ours, core)
      const before = tipOf(core)
      const hash = core.chain.chain.tree.tip.hash.slice()
      yield* invalidateAt(core, 1)
      yield* mineAt(world, core, 1)
      yield* pass(world, 1_000)
      yield* core.engine.call("reconsiderBlock", { hash })
      yield* pass(world, 1_000)
      assert.strictEqual(tipOf(world.ours), before)
      yield* mineAt(world, core, 1)
      yield* untilSame(world, world.ours, core, 5_000)
      assertGood(world)
    }))
})

describe("what no honest peer sends", () => {
  it.effect(
    "a block that is not what its header says: its sender goes, and the block comes from another",
    () =>
      Effect.gen(function*() {
        const world = yield* coreWorld()
        const [liar, other] = [yield* addCore(world, { givesNoBlocks: true }), yield* addCore(world)]
        yield* mineAt(world, liar, 20)
        yield* copyChain(liar, other)
        yield* copyChain(liar, world.ours)
        yield* link(world, liar, "Core connects to us")
        yield* pass(world, 1_000)
        yield* mineAt(world, liar, 1)
        yield* pass(world, 1_000)
        const bytes = yield* blockAt(liar, 21)
        // Within the coinbase's outputs.
        bytes[bytes.length - 60]! ^= 1
        say(liar.open()[0]!, { command: "block", header: headerOf(bytes.slice(0, 80)), bytes })
        yield* until(world, "it is let go", () => liar.open().length === 0, 5_000)
        assert.isTrue(isDiscouraged(world, liar))
        yield* other.chain.chain.acceptBlock(yield* blockAt(liar, 21), true)
        yield* link(world, other, "Core connects to us")
        yield* until(world, "the block is here", () => heightOf(world.ours) === 21, 10_000)
      })
  )

  it.effect(
    "Core's first message of the encrypted transport: we end the connection without a word, so that it tries the plain one",
    () =>
      Effect.gen(function*() {
        const world = yield* coreWorld()
        const from = endpoint("9.9.9.9:1")
        const received: Array<Uint8Array> = []
        let isClosed = false
        yield* Effect.forkDetach(Effect.ignore(
          world.layer.world.transport(from.address).dial(NODE, (connection) => {
            // 64 bytes of a key, and garbage.
            connection.send(Uint8Array.from({ length: 64 + 300 }, (_, i) => (i * 37 + 11) & 0xff))
            return {
              received: (bytes) => void received.push(bytes),
              drained: () => undefined,
              closed: () => {
                isClosed = true
              }
            }
          })
        ))
        yield* until(world, "it is over", () => isClosed, 2_000)
        assert.deepStrictEqual(received, [])
        const core = yield* addCore(world)
        yield* mineAt(world, core, 3)
        yield* link(world, core, "Core connects to us")
        yield* untilSame(world, world.ours, core)
        assertGood(world)
      })
  )

  it.effect(
    "a Core that hangs up in the middle of its headers or its blocks leaves nothing behind",
    () =>
      Effect.gen(function*() {
        const world = yield* coreWorld()
        const [first, second] = [yield* addCore(world, { givesNoBlocks: true }), yield* addCore(world)]
        yield* mineAt(world, first, 60)
        yield* copyChain(first, second)
        yield* link(world, first, "we connect to Core")
        yield* pass(world, 2_000)
        assert.isAbove(
          [...world.layer.service.peers.values()].flatMap((peer) => world.layer.service.figures.sync(peer).inFlight)
            .length,
          0
        )
        world.layer.connections.manual.remove(endpointText(first.at))
        drop(first.state, first.open()[0]!, "it stops")
        yield* link(world, second, "Core connects to us")
        yield* untilSame(world, world.ours, second)
      })
  )
})
