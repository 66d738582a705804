import { assert, describe, it } from "@effect/vitest"
import { frameOf } from "@lockstep/protocol/wire/frame.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { PEER_LIMITS } from "../../../src/p2p/peer/peer-limits.ts"
import type { PeerPart } from "../../../src/p2p/peer/peer-part.ts"
import { receiveBudget } from "../../../src/p2p/peer/receive-budget.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { connectTo, type ScriptedPeer, settle, shakeHands } from "./scripted-peer.ts"
import { stillChain } from "./still-chain.ts"
import { testHost } from "./test-host.ts"

const { receivedBySmall: { most: SMALL }, receivedOfAll: { most: ALL }, stuckPatience: { most: PATIENCE } } =
  PEER_LIMITS

const opened = () => {
  const clock = { now: 1_000 }
  const budget = receiveBudget(() => clock.now)
  const gone: Array<string> = []
  const relieved: Array<string> = []
  const join = (name: string) =>
    budget.join({ disconnect: (reason) => void gone.push(`${name}: ${reason._tag}`) }, () => void relieved.push(name))
  return { budget, clock, gone, relieved, join }
}

describe("what untrusted inbound peers together make a node hold", () => {
  it("is a sum: above it only those with little are read from", () => {
    const { budget, join } = opened()
    const [large, small, other] = [join("large"), join("small"), join("other")]
    large.set(ALL)
    assert.isFalse(large.isTooMuch())
    small.set(SMALL)
    other.set(SMALL + 1)
    assert.strictEqual(budget.held(), ALL + 2 * SMALL + 1)
    assert.deepStrictEqual([large, small, other].map((each) => each.isTooMuch()), [true, false, true])
    large.leave()
    assert.deepStrictEqual([small, other].map((each) => each.isTooMuch()), [false, false])
    large.set(ALL)
    assert.strictEqual(budget.held(), 2 * SMALL + 1)
  })

  it("goes down by the peer that has waited longest for its own sender, not by one that waits for this node", () => {
    const { budget, clock, gone, join, relieved } = opened()
    const [slow, slower, handled, small] = [join("slow"), join("slower"), join("handled"), join("small")]
    for (const each of [slow, slower, handled]) each.set(ALL / 2)
    small.set(SMALL)
    small.waits()
    slower.waits()
    handled.waits()
    handled.progressed()
    clock.now += 1
    slow.waits()
    clock.now += PATIENCE - 2
    budget.tick()
    assert.deepStrictEqual(gone, [])
    clock.now += 1
    relieved.length = 0
    budget.tick()
    assert.deepStrictEqual(gone, ["slower: IncompleteMessage"])
    clock.now += 10 * PATIENCE
    budget.tick()
    assert.deepStrictEqual(gone, ["slower: IncompleteMessage", "slow: IncompleteMessage"])
    assert.deepStrictEqual(relieved.slice(-2), ["handled", "small"])
    relieved.length = 0
    budget.tick()
    assert.deepStrictEqual([relieved, gone.length], [["handled", "small"], 2])
  })

  it("does not count the silence before a message against it", () => {
    const { budget, clock, gone, join } = opened()
    const [idle, other] = [join("idle"), join("other")]
    idle.waits()
    clock.now += 10 * PATIENCE
    idle.set(ALL)
    idle.waits()
    other.set(ALL)
    budget.tick()
    assert.deepStrictEqual(gone, [])
    clock.now += PATIENCE
    budget.tick()
    assert.deepStrictEqual(gone, ["idle: IncompleteMessage"])
  })
})

const BLOCK = 3_900_000

const block = { command: "block" as const, header: undefined!, bytes: new Uint8Array(BLOCK) }

/** All of a block but its last byte. */
const begin = (peer: ScriptedPeer, magic: Uint8Array): void =>
  peer.sayBytes(frameOf(magic, block, testCrypto).subarray(0, -1))

const hostWith = (...parts: ReadonlyArray<PeerPart>) =>
  testHost({ chain: stillChain(), parts: () => Effect.succeed(parts) })

describe("a host of untrusted inbound peers", () => {
  it.effect("hostile: disconnects peers whose blocks never end instead of holding one for each connection", () =>
    Effect.gen(function*() {
      const { clock, events, host, magic } = yield* hostWith()
      const ours = connectTo(host, magic, "outbound-full-relay")
      const others = Array.from({ length: 8 }, () => connectTo(host, magic))
      for (const peer of [ours, ...others]) {
        yield* shakeHands(peer)
        begin(peer, magic)
        yield* settle
        clock.now += 10
      }
      const closed = () => others.map(({ is }) => is.closed)
      assert.notInclude(closed(), true)
      assert.isAbove(others.filter(({ is }) => is.paused).length, 0)
      clock.now += PATIENCE
      yield* TestClock.adjust(100)
      yield* settle
      // As many as there is room for are left, the latest.
      const left = Math.floor(ALL / BLOCK)
      assert.deepStrictEqual(closed(), others.map((_, i) => i < others.length - left))
      assert.isFalse(ours.is.closed || ours.is.paused)
      assert.deepStrictEqual(others.filter(({ is }) => is.paused && !is.closed), [])
      assert.deepInclude(events, {
        what: "DoSAttackDetected",
        about: { peer: "8.8.8.8:8333", kind: "messages that take long", severity: "medium" }
      })
    }))

  it.effect("reads on when there is room again before a tick has seen that there was none", () =>
    Effect.gen(function*() {
      const { host, magic } = yield* hostWith()
      const others = Array.from({ length: 5 }, () => connectTo(host, magic))
      for (const peer of others) {
        yield* shakeHands(peer)
        begin(peer, magic)
        yield* settle
      }
      assert.isTrue(others[4]!.is.paused)
      others[0]!.hangUp()
      yield* settle
      yield* TestClock.adjust(100)
      yield* settle
      assert.isFalse(others[4]!.is.paused || others[4]!.is.closed)
    }))

  it.effect("reads on from one with little, and waits for its own work without disconnecting any peer", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { clock, host, magic } = yield* hostWith({
        name: "slow",
        handlers: {},
        raw: { block: () => Result.succeed(Deferred.await(gate)) }
      })
      const others = Array.from({ length: 6 }, () => connectTo(host, magic))
      for (const peer of others) {
        yield* shakeHands(peer)
        peer.say({ command: "block", header: undefined!, bytes: new Uint8Array(100) })
        peer.say(block)
        yield* settle
      }
      const small = connectTo(host, magic)
      yield* shakeHands(small)
      small.say({ command: "ping", nonce: 1n })
      yield* settle
      assert.deepStrictEqual(small.news(), ["pong"])
      clock.now += 10 * PATIENCE
      yield* TestClock.adjust(100)
      yield* settle
      assert.isTrue(others.some(({ is }) => is.paused))
      assert.isFalse(others.some(({ is }) => is.closed))
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      yield* TestClock.adjust(200)
      yield* settle
      assert.isFalse(others.some(({ is }) => is.paused || is.closed))
    }))
})
