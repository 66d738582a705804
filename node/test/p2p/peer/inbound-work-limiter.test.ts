import { assert, describe, it } from "@effect/vitest"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { addHeader } from "../../../src/engine/header-index/header-index.ts"
import { PEER_LIMITS } from "../../../src/p2p/peer/peer-limits.ts"
import { inboundWorkLimiter } from "../../../src/p2p/peer/inbound-work-limiter.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { connectTo, endpointOf, settle, shakeHands } from "./scripted-peer.ts"
import { hollowBlock, stillChain } from "./still-chain.ts"
import { testHost, type TestHostOptions } from "./test-host.ts"

const { unitOfBytes: { most: UNIT }, workOfAll: { most: ALL }, workSaved: { most: SAVED } } = PEER_LIMITS

const opened = () => {
  const budget = inboundWorkLimiter()
  const state = { isHeldBack: true }
  const relieved: Array<string> = []
  const join = (name: string) => budget.join(() => state.isHeldBack, () => void relieved.push(name))
  return { budget, join, relieved, state }
}

const times = (count: number, run: () => void): void => {
  for (let i = 0; i < count; i++) run()
}

describe("what untrusted inbound peers have a node do while it is behind", () => {
  it("is a part of each tick, the same for each of them, and some of it can be saved", () => {
    const { budget, join, relieved } = opened()
    const shares = ["one", "two", "three", "four"].map(join)
    const [one, two] = shares as [typeof shares[0], typeof shares[0]]
    times(SAVED - 1, () => one!.charge(0))
    assert.isFalse(one!.isSpent())
    one!.charge(0)
    assert.deepStrictEqual(shares.map((share) => share!.isSpent()), [true, false, false, false])
    budget.tick()
    assert.deepStrictEqual([relieved, one!.isSpent()], [["one"], false])
    times(ALL / 4, () => one!.charge(0))
    assert.isTrue(one!.isSpent())
    // No peer saves more than so much, however long nothing is done for it.
    times(10, () => budget.tick())
    times(SAVED, () => two!.charge(0))
    assert.isTrue(two!.isSpent())
    // Fewer share the same.
    for (const share of shares.slice(1)) share!.leave()
    times(SAVED, () => one!.charge(0))
    times(ALL / 2 - 1, () => one!.charge(0))
    assert.isTrue(one!.isSpent())
    budget.tick()
    assert.isFalse(one!.isSpent())
  })

  it("is more for more bytes, and what was more than the share is made up for", () => {
    const { budget, join, relieved } = opened()
    const [one] = [join("one"), join("two")]
    one!.charge((SAVED + ALL) * UNIT)
    budget.tick()
    budget.tick()
    assert.deepStrictEqual([relieved, one!.isSpent()], [[], true])
    budget.tick()
    assert.deepStrictEqual([relieved, one!.isSpent()], [["one"], false])
  })

  it("has no bound, and is not owed later, while no peer is held back", () => {
    const { budget, join, relieved, state } = opened()
    const one = join("one")
    one.charge(SAVED * UNIT)
    assert.isTrue(one.isSpent())
    state.isHeldBack = false
    assert.isFalse(one.isSpent())
    times(10 * SAVED, () => one.charge(UNIT))
    state.isHeldBack = true
    budget.tick()
    assert.deepStrictEqual([relieved, one.isSpent()], [["one"], false])
  })
})

const PINGS = 200

/** Each message is handled in a turn of its own. */
const settleAll = Effect.repeat(settle, { times: PINGS / 50 })

const pings = (count: number): ReadonlyArray<Message> =>
  Array.from({ length: count }, (_, i) => ({ command: "ping", nonce: BigInt(i) }))

/** A host whose best header is so many blocks above its tip. */
const hostBehind = Effect.fnUntraced(function*(blocks: number, options: Omit<TestHostOptions, "chain"> = {}) {
  const chain = stillChain()
  let [parent, blocksMade] = [chain.tree.tip, new Array<Uint8Array>()]
  for (let i = 0; i < blocks; i++) {
    const block = hollowBlock(parent)
    parent = addHeader(chain.tree, parent, block.slice(0, 80), testCrypto.sha256d(block.subarray(0, 80)))
    blocksMade = [...blocksMade, block]
  }
  return {
    ...(yield* testHost({ ...options, chain })),
    magic: REGTEST.magic,
    catchUp: () => blocksMade.forEach((block) => void chain.extend(block))
  }
})

describe("a host that is behind", () => {
  it.effect("hostile: does for an untrusted inbound peer its share of a tick, reads no more from it, and goes on with the next", () =>
    Effect.gen(function*() {
      const { host, magic } = yield* hostBehind(2)
      const peer = connectTo(host, magic)
      yield* shakeHands(peer)
      peer.say(...pings(PINGS))
      yield* settleAll
      const first = peer.news().length
      assert.isAbove(first, 0)
      assert.isAtMost(first, SAVED / 2)
      peer.say(...pings(1))
      assert.isTrue(peer.is.paused)
      let received = first
      for (let ticks = 1; received < PINGS; ticks++) {
        yield* TestClock.adjust(100)
        yield* settleAll
        const more = peer.news().length
        received += more
        assert.isAbove(more, 0)
        // A ping and its answer are two units.
        assert.isAtMost(received, (SAVED + ticks * ALL) / 2 + 1)
      }
      yield* TestClock.adjust(200)
      yield* settle
      assert.isFalse(peer.is.paused)
    }))

  it.effect.each(
    [
      ["the node called itself", 2, "manual", {}],
      ["is trusted", 2, "inbound", { trusts: () => true }],
      ["serves us blocks", 2, "inbound", { isServingUs: () => true }],
      ["asks a node whose last block is on its way", 1, "inbound", {}]
    ] as const
  )("does all for one that %s", ([, blocks, kind, options]) =>
    Effect.gen(function*() {
      const { host, magic } = yield* hostBehind(blocks, { host: options })
      const peer = connectTo(host, magic, kind, endpointOf(8, 8, 8, 8))
      yield* settle
      yield* shakeHands(peer)
      peer.say(...pings(PINGS))
      yield* settleAll
      assert.strictEqual(peer.news().filter((command) => command === "pong").length, PINGS)
      assert.isFalse(peer.is.paused)
    }))

  it.effect("does all that waits when it has caught up", () =>
    Effect.gen(function*() {
      const { catchUp, host, magic } = yield* hostBehind(2)
      const peer = connectTo(host, magic)
      yield* shakeHands(peer)
      peer.say(...pings(PINGS))
      yield* settleAll
      const before = peer.news().length
      assert.isBelow(before, PINGS)
      catchUp()
      yield* TestClock.adjust(100)
      yield* settleAll
      assert.strictEqual(before + peer.news().length, PINGS)
    }))
})
