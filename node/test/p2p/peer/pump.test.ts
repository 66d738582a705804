import { assert, describe, it } from "@effect/vitest"
import { frameOf } from "@lockstep/protocol/wire/frame.ts"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import { encodeMessage } from "@lockstep/protocol/wire/message.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { dispatcher } from "../../../src/p2p/peer/dispatcher.ts"
import type { Peer } from "../../../src/p2p/peer/peer.ts"
import { PEER_LIMITS } from "../../../src/p2p/peer/peer-limits.ts"
import type { PeerPart } from "../../../src/p2p/peer/peer-part.ts"
import { LINES, rateLimitedLog, WINDOW } from "../../../src/p2p/peer/rate-limited-log.ts"
import { tickOnce } from "../../../src/p2p/peer/ticks.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { connectTo, endpointOf, settle, shakeHands, usualVersion } from "./scripted-peer.ts"
import { stillChain } from "./still-chain.ts"
import { testHost } from "./test-host.ts"

const hostWith = (...parts: ReadonlyArray<PeerPart>) =>
  testHost({ chain: stillChain(), parts: () => Effect.succeed(parts) })

const hash = (value: number): Uint8Array => new Uint8Array(32).fill(value)

const inv = (value: number) => ({ command: "inv" as const, inventory: [{ type: 2, hash: hash(value) }] })

describe("the pump of a peer", () => {
  it.effect("takes a message that comes byte by byte", () =>
    Effect.gen(function*() {
      const { host, magic } = yield* hostWith()
      const peer = connectTo(host, magic)
      yield* settle
      for (const byte of frameOf(magic, usualVersion, testCrypto)) peer.sayBytes(Uint8Array.of(byte))
      yield* settle
      assert.include(peer.news(), "verack")
    }))

  it.effect("handles the messages of a peer one after another, and does not wait for those of others", () =>
    Effect.gen(function*() {
      const order: Array<string> = []
      const gate = yield* Deferred.make<void>()
      const { host, magic } = yield* hostWith({
        name: "slow",
        handlers: {
          inv: (peer, { inventory }) =>
            Effect.gen(function*() {
              const what = `${peer.id}:${inventory[0]!.hash[0]}`
              order.push(`begin ${what}`)
              if (peer.id === 0 && inventory[0]!.hash[0] === 1) yield* Deferred.await(gate)
              order.push(`end ${what}`)
            })
        }
      })
      const [one, two] = [connectTo(host, magic), connectTo(host, magic)]
      yield* shakeHands(one)
      yield* shakeHands(two)
      one.say(inv(1), inv(2))
      two.say(inv(3))
      yield* settle
      assert.deepStrictEqual(order, ["begin 0:1", "begin 1:3", "end 1:3"])
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      assert.deepStrictEqual(order.slice(3), ["end 0:1", "begin 0:2", "end 0:2"])
    }))

  it.effect("stops reading while five megabytes wait, and goes on when half of them are handled", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { host, magic } = yield* hostWith({ name: "slow", handlers: { inv: () => Deferred.await(gate) } })
      const peer = connectTo(host, magic)
      yield* shakeHands(peer)
      const block = (bytes: number) => ({ command: "block" as const, header: undefined!, bytes: new Uint8Array(bytes) })
      peer.say(inv(1))
      yield* settle
      peer.say(block(3_900_000))
      yield* settle
      assert.isFalse(peer.is.paused)
      peer.say(block(1_200_000))
      yield* settle
      assert.isTrue(peer.is.paused)
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      assert.isFalse(peer.is.paused)
    }))

  it.effect("stays paused until no more than half of five megabytes wait", () =>
    Effect.gen(function*() {
      const handled: Array<() => void> = []
      const block = () =>
        Result.succeed(Effect.callback<void>((resume) => void handled.push(() => resume(Effect.void))))
      const { host, magic } = yield* hostWith({ name: "slow", handlers: {}, raw: { block } })
      const peer = connectTo(host, magic)
      yield* shakeHands(peer)
      // One is in hand, and four wait: 5.2 megabytes.
      for (let i = 0; i < 5; i++) {
        peer.say({ command: "block", header: undefined!, bytes: new Uint8Array(1_300_000) })
        yield* settle
      }
      const paused = [peer.is.paused]
      for (let i = 0; i < 3; i++) {
        handled.shift()!()
        yield* settle
        paused.push(peer.is.paused)
      }
      assert.deepStrictEqual(paused, [true, true, true, false])
    }))

  it.effect("goes on reading when what is left is a message that needs its rest", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { host, magic } = yield* hostWith({ name: "slow", handlers: { inv: () => Deferred.await(gate) } })
      const peer = connectTo(host, magic)
      yield* shakeHands(peer)
      const block = (bytes: number) =>
        frameOf(magic, { command: "block", header: undefined!, bytes: new Uint8Array(bytes) }, testCrypto)
      peer.say(inv(1))
      yield* settle
      peer.sayBytes(block(1_200_000))
      peer.sayBytes(block(4_000_000).subarray(0, -1))
      yield* settle
      assert.isTrue(peer.is.paused)
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      assert.isFalse(peer.is.paused)
    }))

  it.effect("CVE-2015-3641: what many tiny pieces cost counts, not their bytes alone", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { host, magic } = yield* hostWith({ name: "slow", handlers: { inv: () => Deferred.await(gate) } })
      const peer = connectTo(host, magic)
      yield* shakeHands(peer)
      peer.say(inv(1))
      yield* settle
      const most = PEER_LIMITS.received.most / PEER_LIMITS.pieceOverhead.most
      for (let i = 0; i < most && !peer.is.paused; i++) peer.sayBytes(Uint8Array.of(0))
      assert.isTrue(peer.is.paused)
    }))

  it.effect.each(["throws", "dies"] as const)(
    "a handler that %s costs its own connection alone",
    (how) =>
      Effect.gen(function*() {
        const { events, host, lines, magic } = yield* hostWith({
          name: "broken",
          handlers: {
            inv: () => {
              if (how === "throws") throw new Error("a defect")
              return Effect.die(new Error("a defect"))
            }
          }
        })
        const [one, two] = [connectTo(host, magic), connectTo(host, magic)]
        yield* shakeHands(one)
        yield* shakeHands(two)
        one.say(inv(1))
        yield* settle
        assert.isTrue(one.is.closed)
        assert.strictEqual(lines.filter(({ what }) => what.startsWith("error")).length, 1)
        assert.deepInclude(events, {
          what: "PeerDisconnected",
          about: { peer: "8.8.8.8:8333", reason: "internal error" }
        })
        two.say({ command: "ping", nonce: 5n })
        yield* settle
        assert.include(two.news(), "pong")
      })
  )

  it.effect("a part that throws on ready, tick or gone does not keep others from being called", () =>
    Effect.gen(function*() {
      const observed: Array<string> = []
      const bad = (): never => {
        throw new Error("a defect")
      }
      const { environment, host, magic, peers, pass: _pass } = yield* Effect.map(
        hostWith(
          { name: "broken", handlers: {}, gone: bad, tickAll: bad },
          {
            name: "good",
            handlers: {},
            ready: () => void observed.push("ready"),
            gone: () => void observed.push("gone"),
            tickAll: () => void observed.push("tick")
          }
        ),
        (made) => ({ ...made, environment: made.context.environment })
      )
      const peer = connectTo(host, magic)
      yield* shakeHands(peer)
      const defects: Array<string> = []
      tickOnce({
        environment,
        peers,
        parts: [{ name: "broken", tickAll: bad }, {
          name: "good",
          tickAll: () => void observed.push("tick")
        }],
        guarded: (_peer, _what, run) => run(),
        defect: (what) => void defects.push(what)
      })
      peer.hangUp()
      yield* settle
      assert.deepStrictEqual(observed, ["ready", "tick", "gone"])
      assert.deepStrictEqual(defects, ["broken.tickAll"])
      assert.strictEqual(peers.size, 0)
    }))

  it.effect("commands belong to one part", () =>
    Effect.sync(() => {
      const part = (name: string): PeerPart => ({ name, handlers: { inv: () => Effect.void } })
      assert.throws(() => dispatcher([part("one"), part("two")], DEFAULT_LIMITS), "both one and two handle inv")
      assert.throws(
        () =>
          dispatcher(
            [part("one"), { name: "two", handlers: {}, raw: { inv: () => Result.succeed(Effect.void) } }],
            DEFAULT_LIMITS
          ),
        "both one and two handle inv"
      )
    }))
})

describe("what a message that is none does", () => {
  it.effect("one that does not decode is passed over; one that no honest peer sends ends the connection", () =>
    Effect.gen(function*() {
      const { discouraged, host, magic } = yield* hostWith({
        name: "any",
        handlers: { inv: () => Effect.void, sendcmpct: () => Effect.void }
      })
      const peer = connectTo(host, magic)
      yield* shakeHands(peer)
      peer.sayPayload("inv", Uint8Array.of(5, 1))
      peer.sayPayload("nonsense", new Uint8Array(2_000))
      peer.say({ command: "ping", nonce: 3n })
      yield* settle
      assert.deepStrictEqual(peer.news(), ["pong"])
      peer.sayPayload("sendcmpct", Uint8Array.of(2, 2, 0, 0, 0, 0, 0, 0, 0))
      yield* settle
      assert.isTrue(peer.is.closed)
      assert.deepStrictEqual(discouraged, ["8.8.8.8:8333"])
    }))

  it.effect("one that no part handles is left out, which is said only before the handshake", () =>
    Effect.gen(function*() {
      const { happenings, host, magic } = yield* hostWith()
      const peer = connectTo(host, magic)
      const leftOut = () => happenings.flatMap((each) => each._tag === "LeftOut" ? [`${each.command} ${each.why}`] : [])
      peer.say(inv(1))
      yield* settle
      assert.deepStrictEqual(leftOut(), ["inv before version"])
      peer.say(usualVersion, inv(1))
      yield* settle
      assert.deepStrictEqual(leftOut().slice(1), ["inv before verack"])
      peer.say({ command: "verack" }, inv(1))
      yield* settle
      assert.lengthOf(leftOut(), 2)
      assert.isFalse(peer.is.closed)
    }))

  it.effect("a manual peer is kept, and one of this machine is only disconnected", () =>
    Effect.gen(function*() {
      const { discouraged, host, magic, peers } = yield* hostWith()
      const manual = connectTo(host, magic, "manual")
      const local = connectTo(host, magic, "inbound", endpointOf(127, 0, 0, 1))
      yield* shakeHands(manual)
      yield* shakeHands(local)
      for (const peer of peers.values()) peer.discourage({ _tag: "HeaderWithoutWork" })
      yield* settle
      assert.deepStrictEqual([manual.is.closed, local.is.closed], [false, true])
      assert.deepStrictEqual(discouraged, [])
    }))

  it.effect("a peer that the operator trusts is kept", () =>
    Effect.gen(function*() {
      const { discouraged, host, magic, peers } = yield* testHost({
        chain: stillChain(),
        host: { trusts: ({ bytes }) => bytes[0] === 9 }
      })
      const [trusted, other] = [connectTo(host, magic, "inbound", endpointOf(9, 1, 1, 1)), connectTo(host, magic)]
      yield* shakeHands(trusted)
      yield* shakeHands(other)
      for (const peer of peers.values()) peer.discourage({ _tag: "HeaderWithoutWork" })
      yield* settle
      assert.deepStrictEqual([trusted.is.closed, other.is.closed], [false, true])
      assert.deepStrictEqual(discouraged, ["8.8.8.8:8333"])
    }))

  it.effect("a message may have as much before the handshake as after it, and a version too", () =>
    Effect.gen(function*() {
      const { host, magic } = yield* hostWith()
      const peer = connectTo(host, magic)
      peer.sayPayload("whatever", new Uint8Array(100_000))
      peer.sayPayload("version", Uint8Array.of(...encodeMessage(usualVersion), ...new Uint8Array(100_000)))
      yield* settle
      assert.isFalse(peer.is.closed)
      assert.include(peer.news(), "verack")
    }))

  it.effect("CVE-2025-54604: lines of one kind are written a few times a minute", () =>
    Effect.sync(() => {
      const lines: Array<string> = []
      let now = 0
      const log = rateLimitedLog(
        (_level, message, fields) => void lines.push(`${message} ${fields?.["lines"] ?? ""}`),
        () => now
      )
      for (let i = 0; i < 1_000; i++) log("kind", "warn", "again")
      assert.strictEqual(lines.length, LINES)
      now = WINDOW
      log("kind", "warn", "again")
      assert.deepStrictEqual(lines.slice(LINES), [
        `more lines of the same kind were left out ${1_000 - LINES}`,
        "again "
      ])
    }))
})

describe("what is counted", () => {
  it.effect("bytes to and fro by command, with their frames; events of messages only for subscribers", () =>
    Effect.gen(function*() {
      const listening = { on: false }
      const { events, host, magic, peers, totals } = yield* testHost({
        chain: stillChain(),
        host: { messagesHaveSubscribers: () => listening.on }
      })
      const peer = connectTo(host, magic)
      yield* shakeHands(peer)
      const { traffic }: Peer = peers.get(0)!
      assert.strictEqual(traffic.sentPerCommand.get("verack"), 24)
      assert.strictEqual(traffic.receivedPerCommand.get("verack"), 24)
      assert.strictEqual(traffic.bytesReceived, totals.received)
      assert.strictEqual(traffic.bytesSent, totals.sent)
      assert.notInclude(events.map(({ what }) => what), "MessageSent")
      listening.on = true
      peer.say({ command: "ping", nonce: 1n })
      yield* settle
      assert.deepStrictEqual(events.slice(-2), [
        {
          what: "MessageReceived",
          about: { peer: "8.8.8.8:8333", command: "ping", bytes: 32, version: peers.get(0)!.hello!.version }
        },
        { what: "MessageSent", about: { peer: "8.8.8.8:8333", command: "pong", bytes: 32 } }
      ])
    }))

  it.effect("nothing more is handled of a peer that has a megabyte to read", () =>
    Effect.gen(function*() {
      const { host, magic } = yield* hostWith()
      const peer = connectTo(host, magic)
      yield* shakeHands(peer)
      peer.is.perSend = PEER_LIMITS.unsent.most / 2 + 1
      peer.say(...Array.from({ length: 5 }, (_, i) => ({ command: "ping" as const, nonce: BigInt(i) })))
      yield* settle
      assert.deepStrictEqual(peer.news(), ["pong", "pong"])
      peer.drain()
      yield* settle
      assert.deepStrictEqual(peer.news(), ["pong", "pong"])
      peer.drain()
      yield* settle
      assert.deepStrictEqual(peer.news(), ["pong"])
    }))

  it.effect("but it is read on until five megabytes are held, and what came before is handled once it has read", () =>
    Effect.gen(function*() {
      const { host, magic } = yield* hostWith()
      const peer = connectTo(host, magic)
      yield* shakeHands(peer)
      peer.is.unsent = PEER_LIMITS.unsent.most + 1
      // It may be sending itself, and read no answers before that is done.
      peer.say({ command: "ping", nonce: 1n })
      peer.sayPayload("alert", new Uint8Array(3_000_000))
      yield* settle
      assert.isFalse(peer.is.paused)
      peer.sayPayload("alert", new Uint8Array(3_000_000))
      yield* settle
      assert.isTrue(peer.is.paused)
      assert.deepStrictEqual(peer.news(), [])
      peer.drain()
      yield* settle
      assert.isFalse(peer.is.paused)
      assert.deepStrictEqual(peer.news(), ["pong"])
    }))

  it.effect("a peer that never reads is disconnected in the end", () =>
    Effect.gen(function*() {
      const { events, host, magic, pass, peers, session } = yield* hostWith()
      const attacks = () => events.filter(({ what }) => what === "DoSAttackDetected").map(({ about }) => about)
      const ordinary = connectTo(host, magic)
      yield* shakeHands(ordinary)
      peers.get(0)!.disconnect({ _tag: "OperatorRequest" })
      yield* settle
      assert.deepStrictEqual(attacks(), [])
      const peer = connectTo(host, magic)
      yield* shakeHands(peer)
      peer.is.unsent = PEER_LIMITS.unsentAtAll.most + 1
      session.pingAll()
      pass(100)
      assert.isTrue(peer.is.closed)
      yield* settle
      assert.deepStrictEqual(attacks(), [
        { peer: "8.8.8.8:8333", kind: "answers that are not read", severity: "medium" }
      ])
    }))
})
