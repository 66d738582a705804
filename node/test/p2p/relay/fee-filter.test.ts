import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { poolRateWatch, roundedFeerate } from "../../../src/p2p/relay/fee-filter.ts"
import { NOTHING_WANTED } from "../../../src/p2p/relay/relay-limits.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { connectTo, type ScriptedPeer, settle, usualVersion } from "../peer/scripted-peer.ts"
import { makeNode, peerOf } from "./relay-node.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"

const SECOND = 1_000

describe("the fee filter", () => {
  const MINUTE = 60 * SECOND
  const observed = (peer: ScriptedPeer): bigint => peer.last("feefilter").feerate

  it.effect("follows the lowest rate of the pool in steps of a tenth, soon when it is far from what was said", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      assert.strictEqual(observed(peer), 100n)
      node.pool.rate = 120
      node.pass(5 * MINUTE)
      // That little may wait for its turn, ten minutes or so; this may not.
      node.pool.rate = 10_000
      node.pass(5 * MINUTE + 200)
      const found = Number(observed(peer))
      assert.isTrue(found >= 9_000 && found <= 11_000, `${found}`)
      node.pool.rate = 0
      node.pass(5 * MINUTE + 200)
      assert.strictEqual(observed(peer), 100n)
    }))

  it.effect("is not sent to block-relay-only peers, nor to those that do not know it", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const forBlocks = yield* peerOf(node, { kind: "block-relay-only" })
      const old = connectTo(node.host, node.magic)
      old.say({ ...usualVersion, version: 70_012 }, { command: "verack" })
      yield* settle
      node.pass(1_000)
      for (const peer of [forBlocks, old]) assert.notInclude(peer.commands(), "feefilter")
    }))

  it("is rounded down two times of three, and never beyond the last step", () => {
    const random = seededRandom(20_261_124)
    const found = Array.from({ length: 3_000 }, () => Number(roundedFeerate(1_000, random)))
    const [low, high] = [Math.min(...found), Math.max(...found)]
    assert.isTrue(low < 1_000 && high >= 1_000 && high / low < 1.11)
    assert.strictEqual(new Set(found).size, 2)
    const down = found.filter((rate) => rate === low).length
    assert.isTrue(down > 1_900 && down < 2_100, `${down}`)
    assert.strictEqual(roundedFeerate(0, random), 0n)
    assert.strictEqual(roundedFeerate(2.1e15, random), NOTHING_WANTED)
  })

  it("is of a rate that is looked up every ten seconds while it is above zero", () => {
    let rate = 0
    const asked: Array<number> = []
    let now = 0
    const watch = poolRateWatch(
      { poolRate: () => rate, refreshPoolRate: Effect.sync(() => void asked.push(now)) },
      (effect) => Effect.runSync(effect)
    )
    for (; now < 60_000; now += 100) {
      if (now === 20_000) rate = 5
      if (now === 45_000) rate = 0
      watch(unixMilliseconds(now))
    }
    assert.deepStrictEqual(asked, [20_000, 30_000, 40_000])
  })
})
