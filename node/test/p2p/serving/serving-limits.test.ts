import { assert, describe, it } from "@effect/vitest"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import { uploadTarget } from "../../../src/p2p/serving/upload-target.ts"
import { settle } from "../peer/scripted-peer.ts"
import { getdata, served } from "./served.ts"

const { FILTERED_BLOCK, WITNESS_BLOCK } = InventoryType
const { BLOOM, NETWORK, NETWORK_LIMITED, WITNESS } = ServiceFlag

const LIMIT = 1_000_000_000

describe("the upload target", () => {
  const DAY = 86_400_000

  it("keeps enough for the blocks of the day; then it begins anew with what is sent", () => {
    const state = { now: 0 }
    const target = uploadTarget(LIMIT, () => state.now, 600)
    // 144 blocks of four megabytes are 576 MB.
    target.count(LIMIT - 576_000_001)
    assert.isTrue(target.servesHistoricalBlocks())
    target.count(1)
    assert.isFalse(target.servesHistoricalBlocks())
    assert.isFalse(target.reached())
    assert.strictEqual(target.bytesLeft(), 576_000_000)
    target.count(576_000_000)
    assert.isTrue(target.reached())
    state.now = DAY + 1
    target.count(1)
    assert.isFalse(target.reached())
    assert.strictEqual(target.bytesLeft(), LIMIT - 1)
  })

  it("has no day before anything is sent, however the clock is set", () => {
    const state = { now: 20 * DAY }
    const target = uploadTarget(LIMIT, () => state.now, 600)
    state.now = DAY
    assert.deepStrictEqual([target.servesHistoricalBlocks(), target.timeLeft()], [true, DAY])
    target.count(1)
    state.now += 1_000
    assert.deepStrictEqual([target.servesHistoricalBlocks(), target.timeLeft()], [true, DAY - 1_000])
  })

  it.effect("a peer that requests what is a week old is disconnected then, one that requests what is new is not", () =>
    Effect.gen(function*() {
      const { at, peer, serving: { upload } } = yield* served({ blocks: 1_100, serving: { uploadTarget: LIMIT } })
      upload.count(LIMIT)
      peer.say(getdata([WITNESS_BLOCK, at(1_099).hash]))
      yield* settle
      assert.deepStrictEqual([peer.news(), peer.is.closed], [["block"], false])
      peer.say(getdata([WITNESS_BLOCK, at(91).hash]))
      yield* settle
      assert.isTrue(peer.is.closed)
    }))
})

describe("what is not offered", () => {
  it.effect.each(["mempool", "getcfilters", "getcfheaders", "getcfcheckpt"] as const)(
    "%s ends the connection",
    (command) =>
      Effect.gen(function*() {
        const { peer } = yield* served()
        const stop = new Uint8Array(32)
        if (command === "mempool") peer.say({ command })
        else if (command === "getcfcheckpt") peer.say({ command, filterType: 0, stop })
        else peer.say({ command, filterType: 0, startHeight: 0, stop })
        yield* settle
        assert.isTrue(peer.is.closed)
      })
  )

  it.effect("the mempool is announced where filtered connections are offered", () =>
    Effect.gen(function*() {
      const { peer, sent } = yield* served({ services: BLOOM | NETWORK | WITNESS })
      peer.say({ command: "mempool" })
      yield* settle
      assert.deepStrictEqual([peer.is.closed, sent], [false, [-1]])
    }))

  it.effect("the mempool is announced to an inbound peer that has the permission", () =>
    Effect.gen(function*() {
      const { peer, sent } = yield* served({ permissions: new Set(["mempool"]) })
      peer.say({ command: "mempool" })
      yield* settle
      assert.deepStrictEqual([peer.is.closed, sent], [false, [-1]])
    }))

  it.effect("holds for filtered blocks of any age, and not for a peer that the operator trusts", () =>
    Effect.gen(function*() {
      const options = { blocks: 1_100, serving: { uploadTarget: LIMIT } }
      const [one, two] = [yield* served(options), yield* served({ ...options, isTrusted: true })]
      for (const { serving: { upload } } of [one, two]) upload.count(LIMIT)
      one.peer.say(getdata([FILTERED_BLOCK, one.at(1_099).hash]))
      two.peer.say(getdata([WITNESS_BLOCK, two.at(1).hash]), { command: "mempool" })
      yield* settle
      assert.isTrue(one.peer.is.closed)
      assert.deepStrictEqual(two.peer.news(), ["block"])
      assert.deepStrictEqual(two.sent, [-1])
      assert.isFalse(two.peer.is.closed)
    }))

  it.effect("a limited node serves a peer that the operator trusts whatever it has", () =>
    Effect.gen(function*() {
      const { at, peer } = yield* served({ blocks: 300, services: WITNESS | NETWORK_LIMITED, isTrusted: true })
      peer.say(getdata([WITNESS_BLOCK, at(1).hash]))
      yield* settle
      assert.deepStrictEqual(peer.news(), ["block"])
    }))
})
