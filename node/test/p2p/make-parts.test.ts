import { assert, describe, it } from "@effect/vitest"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { headerOf } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import type { P2pOptions } from "../../src/p2p/layer/p2p-options.ts"
import { addressText } from "../../src/net/endpoint-text.ts"
import { unixSeconds } from "../../src/quantities.ts"
import { caller, pass, type Robot } from "./connections/robot.ts"
import { testLayer } from "./connections/test-layer.ts"
import { hollowBlock, type StillChain, stillChain } from "./peer/still-chain.ts"
import { endpoint } from "./transport/transport-suite.ts"

const SECONDS = 1_700_193_573

const layerWith = Effect.fnUntraced(function*(options: Partial<P2pOptions> = {}, changes: Partial<StillChain> = {}) {
  const chain = Object.assign(stillChain(), changes)
  const layer = yield* testLayer({ target: 0, chain, options })
  const broadcasts = () => layer.events.filter(({ what }) => what.startsWith("Broadcast")).map(({ what }) => what)
  return { broadcasts, chain, layer }
})

const received = <C extends "feefilter" | "headers" | "inv" | "addr">(
  of: Robot,
  command: C
): ReadonlyArray<MessageOf<C>> =>
  of.links.flatMap((link) => link.received.filter((message): message is MessageOf<C> => message.command === command))

describe("a new tip", () => {
  it.effect("is announced, except in the initial download", () =>
    Effect.gen(function*() {
      for (const [isDownload, observed] of [[true, 0], [false, 2]] as const) {
        const { broadcasts, chain, layer } = yield* layerWith()
        const peer = yield* caller(layer, endpoint("22.1.1.1:7"))
        yield* pass(layer, 1_000)
        const fork = chain.tree.tip
        chain.notify("tip", chain.extend(hollowBlock(fork)), fork, isDownload)
        yield* pass(layer, 500)
        assert.lengthOf(broadcasts(), observed)
        assert.strictEqual(received(peer, "inv").length + received(peer, "headers").length > 0, !isDownload)
      }
    }))

  it.effect("is no broadcast where every peer has it", () =>
    Effect.gen(function*() {
      const { broadcasts, chain, layer } = yield* layerWith()
      const peer = yield* caller(layer, endpoint("22.1.1.1:7"))
      yield* pass(layer, 1_000)
      const fork = chain.tree.tip
      const bytes = hollowBlock(fork)
      const tip = chain.extend(bytes)
      peer.links[0]!.say({ command: "headers", headers: [headerOf(bytes.slice(0, 80))] })
      yield* pass(layer, 500)
      chain.notify("tip", tip, fork, false)
      yield* pass(layer, 500)
      assert.deepStrictEqual(broadcasts(), [])
    }))
})

describe("the parts of the network layer", () => {
  it.effect("ask for no transactions below what the pool, or the node, wants to be paid", () =>
    Effect.gen(function*() {
      const wanted = Effect.fnUntraced(function*(changes: Partial<StillChain>) {
        const { layer } = yield* layerWith({ minRelayFee: 2_000n }, changes)
        const peer = yield* caller(layer, endpoint("22.1.1.1:7"))
        yield* pass(layer, 1_000)
        return Number(received(peer, "feefilter")[0]!.feerate)
      })
      assert.strictEqual(yield* wanted({}), 2_000)
      // Rounded, so that no node is recognized by it.
      const high = yield* wanted({ poolRate: () => 50_000 })
      assert.isTrue(high > 40_000 && high < 60_000, `${high}`)
    }))

  it.effect("pass no address on that is banned or discouraged", () =>
    Effect.gen(function*() {
      const { layer } = yield* layerWith()
      const target = yield* caller(layer, endpoint("23.1.1.1:7"))
      const from = yield* caller(layer, endpoint("22.1.1.1:7"))
      yield* pass(layer, 1_000)
      target.links[0]!.say({ command: "getaddr" })
      const [banned, discouraged, plain] = ["41.1.1.1:8333", "42.1.1.1:8333", "43.1.1.1:8333"].map(endpoint)
      layer.reputation.ban({
        subnet: { address: banned!.address, bits: 32 },
        created: unixSeconds(SECONDS),
        until: unixSeconds(SECONDS + 5_000)
      })
      layer.reputation.discourage(discouraged!.address, { _tag: "HeaderWithoutWork" })
      for (const each of [banned!, discouraged!, plain!]) {
        yield* pass(layer, 15_000)
        from.links[0]!.say({ command: "addr", addresses: [{ ...each, services: 9n, time: SECONDS }] })
      }
      yield* pass(layer, 180_000, 500)
      const passed = received(target, "addr").flatMap(({ addresses }) =>
        addresses.map(({ address }) => addressText(address))
      )
      assert.deepStrictEqual(passed, ["43.1.1.1"])
    }))

  it.effect("advertise the address of the node that the operator chose among its own", () =>
    Effect.gen(function*() {
      const own = { ...endpoint("50.1.1.1:8333"), score: 4 }
      const seen: Array<unknown> = []
      const { layer } = yield* layerWith({
        ownAddresses: () => [own],
        advertised: (all) => {
          seen.push(all)
          return own
        }
      })
      const peer = yield* caller(layer, endpoint("22.1.1.1:7"))
      yield* pass(layer, 1_000)
      peer.links[0]!.say({ command: "getaddr" })
      yield* pass(layer, 180_000, 500)
      const passed = received(peer, "addr").flatMap(({ addresses }) =>
        addresses.map(({ address }) => addressText(address))
      )
      assert.deepStrictEqual([seen[0], passed], [[own], ["50.1.1.1"]])
    }))
})
