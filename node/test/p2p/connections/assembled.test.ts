import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { testTransportCrypto as transportCrypto } from "../v2-transport/transport-crypto.ts"
import type { P2pOptions } from "../../../src/p2p/layer/p2p-options.ts"
import { stillChain } from "../peer/still-chain.ts"
import { testLayer } from "./test-layer.ts"

const service = (options: Partial<P2pOptions> = {}, isPruned = false) =>
  Effect.gen(function*() {
    const chain = stillChain()
    chain.set({ pruned: isPruned })
    return (yield* testLayer({ chain, target: 0, options })).service
  })

describe("what the servers learn of the network layer", () => {
  it.effect("how long a ban is: a day, unless an operator says otherwise", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* service()).banSeconds, 86_400)
      assert.strictEqual((yield* service({ banSeconds: 77 })).banSeconds, 77)
    }))

  it.effect("which services the node offers", () =>
    Effect.gen(function*() {
      const bits = (options: Partial<P2pOptions>, isPruned = false) =>
        Effect.map(service(options, isPruned), ({ services }) => services())
      assert.strictEqual(yield* bits({}), 0x409n)
      assert.strictEqual(yield* bits({}, true), 0x408n)
      assert.strictEqual(yield* bits({ servesBlockFilters: true }), 0x449n)
      assert.strictEqual(yield* bits({ servesBloomFilters: true }), 0x40dn)
      assert.strictEqual(yield* bits({ servesBlockFilters: false, servesBloomFilters: false, transportCrypto }), 0xc09n)
    }))

  it.effect("what it says of itself", () =>
    Effect.gen(function*() {
      const plain = yield* service()
      assert.deepStrictEqual([plain.protocolVersion, plain.userAgent, plain.relaysTransactions, plain.hasV2], [
        70_017,
        "/Lockstep:0.0.0/",
        true,
        false
      ])
      const other = yield* service({ wantsTransactions: false, transportCrypto, userAgent: "/x/", listen: undefined })
      assert.deepStrictEqual([other.userAgent, other.relaysTransactions, other.hasV2, other.listening], [
        "/x/",
        false,
        true,
        []
      ])
      assert.isTrue(plain.connections.isActive())
      assert.isFalse((yield* service({ isActive: false })).connections.isActive())
    }))

  it.effect("how the ban list is kept", () =>
    Effect.gen(function*() {
      const kept: Array<unknown> = []
      const { keepBans, reputation } = yield* service({ keepBans: (bans) => Effect.sync(() => void kept.push(bans)) })
      yield* keepBans
      assert.deepStrictEqual(kept, [reputation.bans])
      yield* (yield* service()).keepBans
    }))
})
